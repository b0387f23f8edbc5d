import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { VersionChanges } from './changes.tsx';

/** The versions of the catalog, and the way back to one of them. */
export function Versions(props: { current: number; editable: boolean; changed: () => void }): VNode {
  const { current, editable, changed } = props;
  const [target, setTarget] = useState<number>();
  const [compared, setCompared] = useState<number>();
  const filters = useFilters();
  const range = rangeOf(filters);
  const versions = usePages(`versions ${current} ${keptRange(filters.values)}`, async (after, signal) => {
    const { versions: items, next } = await call('listCatalogVersions', {
      query: { ...range, after },
      signal,
    });
    return { items, next };
  });
  const revert = async () => {
    await call('revertCatalog', { body: { to: target!, over: current } });
    changed();
  };
  return (
    <Box title="Versions" note="the newest first; going back stores an earlier one again">
      <div class="toolbar">
        <RangeControl filters={filters} />
      </div>
      <PagedList
        what="the versions"
        pages={versions}
        empty={
          <Empty
            title={
              current === 0
                ? 'The catalog of the service is in force: it has not been changed here.'
                : 'No version was stored in this range.'
            }
          />
        }
      >
        {(items) => (
          <Table
            label="Versions"
            rows={items}
            keyOf={({ version }) => String(version)}
            current={({ version }) => version === current}
            columns={[
              {
                title: 'Version',
                cell: ({ version }) => (
                  <>
                    {version} {version === current && <Badge tone="good">in force</Badge>}
                  </>
                ),
              },
              { title: 'Stored', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Author', wide: true, cell: ({ author }) => <Text of={author ?? ''} /> },
              {
                title: 'Note',
                wide: true,
                cell: ({ note, revertOf }) => (
                  <Text of={note ?? (revertOf === null ? '' : `back to ${revertOf}`)} />
                ),
              },
              {
                title: 'Actions',
                align: 'end',
                cell: ({ version, createdAt }) => (
                  <span class="actions">
                    <button
                      type="button"
                      aria-expanded={compared === version}
                      aria-label={`What changed in version ${version}`}
                      onClick={() => setCompared(compared === version ? undefined : version)}
                    >
                      What changed
                    </button>
                    <a
                      class="button"
                      href={`/contents?since=${encodeURIComponent(createdAt)}`}
                      aria-label={`Rates since version ${version}`}
                    >
                      Rates since
                    </a>
                    {editable && version !== current && (
                      <button type="button" onClick={() => setTarget(version)}>
                        Go back to {version}
                      </button>
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
      </PagedList>
      {compared !== undefined && <VersionChanges version={compared} />}
      {editable && current > 0 && (
        <div class="actions">
          <button type="button" onClick={() => setTarget(0)}>
            Go back to 0, the catalog of the service
          </button>
        </div>
      )}
      {target !== undefined && (
        <Confirm
          title={`Go back to version ${target}`}
          verb={`Go back to ${target}`}
          run={revert}
          close={() => setTarget(undefined)}
        >
          <p>What later versions changed is undone, also by others. Every node follows within a second.</p>
          <Command line={svcCommand('catalog', 'revert', String(target), `--over=${current}`)} />
        </Confirm>
      )}
    </Box>
  );
}
