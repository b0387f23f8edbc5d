import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { VersionChanges } from './changes.tsx';

/** The versions of the catalog, what one changed and what came of it, and the way back to one: /catalog/versions/2. */
export function Versions(props: {
  current: number;
  editable: boolean;
  drafted: boolean;
  changed: () => void;
}): VNode {
  const { current, editable, drafted, changed } = props;
  const [target, setTarget] = useState<number>();
  const part = usePathPart('/catalog/versions');
  const chosen = part !== undefined && /^\d{1,13}$/.test(part) && part !== '0' ? Number(part) : undefined;
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
    await call('revertCatalog', { body: { to: target!, over: current, author: 'console' } });
    changed();
  };
  // Versions that the one in force repeats: nothing would change.
  const same = new Set([current]);
  for (const { version, revertOf } of versions.items)
    if (same.has(version) && revertOf !== null) same.add(revertOf);
  const goBack = (version: number) =>
    editable &&
    !drafted &&
    !same.has(version) && (
      <button type="button" class="danger" onClick={() => setTarget(version)}>
        Go back to {version}
      </button>
    );
  return (
    <>
      <Box
        title={current === 0 ? 'History' : `History: ${counted(current, 'version')} since version 0`}
        label="Versions"
        note={
          drafted
            ? 'publish or discard the draft to go back'
            : 'the newest first; going back publishes an earlier one again'
        }
      >
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
                  : 'No version was published in this range.'
              }
            />
          }
        >
          {(items) => (
            <Table
              label="Versions"
              rows={items}
              keyOf={({ version }) => String(version)}
              current={({ version }) => version === chosen}
              columns={[
                {
                  title: 'Version',
                  cell: ({ version }) => (
                    <>
                      <a
                        href={`/catalog/versions/${version}${filters.search}`}
                        aria-label={`${version}: what it changed and earned`}
                      >
                        {version}
                      </a>{' '}
                      {version === current && <Badge tone="good">in force</Badge>}
                    </>
                  ),
                },
                { title: 'Published', cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: 'Author', wide: true, cell: ({ author }) => <Text of={author ?? ''} /> },
                {
                  title: 'Note',
                  cell: ({ note, revertOf }) => (
                    <Text of={note ?? (revertOf === null ? '' : `back to ${revertOf}`)} />
                  ),
                },
                {
                  title: 'Actions',
                  align: 'end',
                  wide: true,
                  cell: ({ version }) => <span class="actions">{goBack(version)}</span>,
                },
              ]}
            />
          )}
        </PagedList>
        {current > 0 && (
          <div class="toolbar apart">
            <p class="note">
              Version 0 is the catalog of the service itself (built in, or of svc serve --catalog), in force
              until the first version is published here.
            </p>
            {goBack(0)}
          </div>
        )}
        {target !== undefined && (
          <Confirm
            title={`Go back to version ${target}`}
            verb={`Go back to ${target}`}
            danger
            run={revert}
            close={() => setTarget(undefined)}
          >
            <p>
              {target === 0 && 'The catalog that the service brings along is in force again. '}
              What later versions changed is undone, also by others. Every node follows within a second.
            </p>
            <Command line={svcCommand('catalog', 'revert', String(target), `--over=${current}`)} />
          </Confirm>
        )}
      </Box>
      {chosen !== undefined && (
        <VersionChanges version={chosen} current={current} goBack={goBack(chosen)} key={chosen} />
      )}
    </>
  );
}
