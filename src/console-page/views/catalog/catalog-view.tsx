import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { about, offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { Changes, changedEntries, changeWords } from './changes.tsx';
import { draft, setDraft } from './draft.ts';
import { Editor } from './editor.tsx';
import { EntryTable } from './entry-table.tsx';
import type { FieldIssue } from './field.tsx';
import { type Catalog, LISTS, type ListName, unwritten } from './schema.ts';
import { Versions } from './versions.tsx';

/** Where the versions are. */
const VERSIONS = '/catalog/versions';

const SEARCH: readonly FilterField[] = [
  { name: 'search', label: 'Search', kind: 'text', placeholder: 'name, category or title' },
];

/**
 * Contents, templates and goals: made, edited, paused, withdrawn; versions and the way back. /catalog, /catalog/contents/ID,
 * /catalog/versions/2.
 */
export function CatalogView(): VNode {
  const stored = useResource('catalog', (signal) => call('getCatalog', { signal }));
  const { path } = useLocation();
  const filters = useFilters();
  const place = placeOf(path);
  const ofVersions = path === VERSIONS || path.startsWith(`${VERSIONS}/`);
  const contents = useResource(place || ofVersions ? undefined : 'earned', (signal) =>
    call('listContents', { signal }),
  );
  const earned = new Map(contents.value?.items.map((item) => [item.id, item]));
  const current = stored.value;
  // Another console may have had this port, and this tab, before.
  const workspace = about.value!.workspace.id;
  const changed = draft.value?.workspace === workspace ? draft.value : undefined;
  const catalog: Catalog = changed?.catalog ?? (current?.catalog as Catalog | undefined) ?? {};
  const editable = current !== undefined && !current.readOnly && offers('putCatalog');
  // The service says what is wrong, in the words of its own schema.
  const checked = useResource(changed && JSON.stringify(changed.catalog), (signal) =>
    call('validateCatalog', { body: { catalog: { ...catalog } }, signal }),
  );
  const issues = [
    ...(checked.value?.issues ?? []),
    ...(changed && current ? unwritten(current.catalog as Catalog, catalog) : []),
  ];
  const change = (next: Catalog) =>
    setDraft({ workspace, version: changed?.version ?? current!.version, catalog: next });
  return (
    <>
      <ViewHead
        title="Catalog"
        summary={
          current &&
          (current.version === 0 ? (
            'version 0, that of the service'
          ) : (
            <>
              version {current.version}
              {current.createdAt !== null && (
                <>
                  , stored <Time at={current.createdAt} />
                </>
              )}
              {current.author !== null && (
                <>
                  {' '}
                  by <Text of={current.author} />
                </>
              )}
              {current.note !== null && (
                <>
                  : <Text of={current.note} />
                </>
              )}
            </>
          ))
        }
        command={ofVersions ? svcCommand('catalog', 'versions') : svcCommand('catalog', 'get')}
        actions={
          ofVersions ? (
            <a class="button" href="/catalog">
              <Icon name="back" /> All of the catalog
            </a>
          ) : (
            current &&
            current.version > 0 && (
              <a class="button" href={`${VERSIONS}/${current.version}`}>
                What version {current.version} changed and earned
              </a>
            )
          )
        }
        refresh={stored.reload}
      />
      {stored.error && <Failure error={stored.error} retry={stored.reload} />}
      {!current && !stored.error && <Loading what="the catalog" />}
      {current && !editable && (
        <p class="banner">
          <Badge tone="warn">read-only</Badge>{' '}
          <Text
            of={current.reason ?? 'This console is read-only: start it with --write to change something.'}
          />
        </p>
      )}
      {current && changed && (
        <DraftBar
          based={changed.version}
          current={current.version}
          valid={checked.value?.valid === true && !checked.loading && issues.length === 0}
          issues={issues.length}
          warnings={checked.value?.warnings ?? []}
          catalog={changed.catalog}
          before={current.catalog as Catalog}
          stored={stored.reload}
        />
      )}
      {current && place && (
        <Editor
          {...place}
          catalog={catalog}
          issues={issues}
          disabled={!editable}
          change={change}
          key={place.list}
        />
      )}
      {current && ofVersions && (
        <Versions current={current.version} editable={editable && !changed} changed={stored.reload} />
      )}
      {current && !place && !ofVersions && (
        <>
          <FilterBar filters={filters} fields={SEARCH} inline />
          {(Object.keys(LISTS) as ListName[]).map((list) => (
            <EntryTable
              key={list}
              list={list}
              catalog={catalog}
              editable={editable}
              change={change}
              earned={earned}
            />
          ))}
        </>
      )}
    </>
  );
}

/** Says that there is a draft, and stores or discards it. */
function DraftBar(props: {
  based: number;
  current: number;
  valid: boolean;
  issues: number;
  warnings: readonly FieldIssue[];
  catalog: Catalog;
  /** The catalog in force. */
  before: Catalog;
  stored: () => void;
}): VNode {
  const { based, current, valid, issues, warnings, catalog, before, stored } = props;
  const changes = changedEntries(before, catalog);
  const [asked, setAsked] = useState<'store' | 'discard'>();
  const [note, setNote] = useState('');
  const store = async () => {
    await call('putCatalog', {
      body: { catalog: { ...catalog }, ifVersion: based, author: 'console', ...(note ? { note } : {}) },
    });
    setDraft(undefined);
    stored();
  };
  return (
    <div class="draft-bar">
      <Box
        title={`Draft: ${changeWords(changes)}`}
        label="Draft"
        note="kept in this tab until it is stored or discarded"
      >
        <div class="actions">
          <span role="status">
            {issues > 0
              ? `${issues} ${issues === 1 ? 'error' : 'errors'} to correct`
              : valid
                ? 'No errors'
                : 'Checking…'}
            {based !== current &&
              `; the catalog has version ${current} by now, the draft is based on ${based}`}
          </span>
          <button type="button" class="primary" disabled={!valid} onClick={() => setAsked('store')}>
            Store the draft
          </button>
          <button type="button" onClick={() => setAsked('discard')}>
            Discard the draft
          </button>
        </div>
        {changes.length > 0 && (
          <details class="figures">
            <summary>What it changes</summary>
            <Changes of={changes} label="What the draft changes" />
          </details>
        )}
        {warnings.map(({ path, message }) => (
          <p class="note">
            <code>{cleaned(path)}</code> <Text of={message} />
          </p>
        ))}
        {asked === 'store' && (
          <Confirm title="Store the draft" verb="Store" run={store} close={() => setAsked(undefined)}>
            <Changes of={changes} label="What is stored" />
            <p class="note">Every node uses it within a second. An earlier version can be brought back.</p>
            <label class="choice">
              What the change is for
              <input
                type="text"
                maxLength={256}
                value={note}
                onInput={(e) => setNote(e.currentTarget.value)}
              />
            </label>
          </Confirm>
        )}
        {asked === 'discard' && (
          <Confirm
            title="Discard the draft"
            verb="Discard"
            run={async () => setDraft(undefined)}
            close={() => setAsked(undefined)}
          >
            <p>The changes of this tab are lost.</p>
          </Confirm>
        )}
      </Box>
    </div>
  );
}

/** The entry that a path names. */
function placeOf(path: string): { list: ListName; id: string } | undefined {
  const [, , list, ...rest] = path.split('/');
  if (!list || !(list in LISTS) || rest.length === 0) return undefined;
  const name = rest.join('/');
  try {
    return { list: list as ListName, id: decodeURIComponent(name) };
  } catch {
    return { list: list as ListName, id: name };
  }
}
