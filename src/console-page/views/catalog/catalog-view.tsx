import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { about, offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { useEscape } from '../../parts/focus/escape.ts';
import { Icon } from '../../parts/icons.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { draft, setDraft } from './draft.ts';
import { DraftBar } from './draft-bar.tsx';
import { Editor } from './editor.tsx';
import { EntryTable, entriesWith } from './entry-table.tsx';
import { type Publication, Published } from './published.tsx';
import {
  type Catalog,
  type Entry,
  entriesOf,
  isUnfilled,
  LISTS,
  type ListName,
  textOf,
  unwritten,
} from './schema.ts';
import { Versions } from './versions.tsx';

/** Where the versions are. */
const VERSIONS = '/catalog/versions';

/**
 * Contents, templates and goals: made, edited, paused, withdrawn; versions and the way back. /catalog, /catalog/contents/ID,
 * /catalog/versions/2.
 */
export function CatalogView(): VNode {
  const stored = useResource('catalog', (signal) => call('getCatalog', { signal }));
  const { path, route } = useLocation();
  const filters = useFilters();
  const place = placeOf(path);
  const ofVersions = path === VERSIONS || path.startsWith(`${VERSIONS}/`);
  /** Where what is wrong is shown also of fields that were not written yet, and how often that was asked for. */
  const [published, setPublished] = useState<Publication>();
  const [tried, setTried] = useState({ path: '', turn: 0 });
  useEscape(
    path.startsWith(`${VERSIONS}/`)
      ? () => route(`${VERSIONS}${filters.search}`)
      : place || ofVersions
        ? () => route('/catalog')
        : undefined,
  );
  const contents = useResource(place || ofVersions ? undefined : 'earned', (signal) =>
    call('listContents', { signal }),
  );
  const earned = new Map(contents.value?.items.map((item) => [item.id, item]));
  const current = stored.value;
  // Another console may have had this port, and this tab, before.
  const workspace = about.value!.workspace.id;
  const changed = draft.value?.workspace === workspace ? draft.value : undefined;
  // What was just published is shown until it is read, so that a new entry does not vanish meanwhile.
  const sent = published && current && published.version > current.version ? published.after : undefined;
  const catalog: Catalog = changed?.catalog ?? sent ?? (current?.catalog as Catalog | undefined) ?? {};
  const editable = current !== undefined && !current.readOnly && offers('putCatalog');
  // The service says what is wrong, in the words of its own schema.
  const checked = useResource(changed && JSON.stringify(changed.catalog), (signal) =>
    call('validateCatalog', { body: { catalog: { ...catalog } }, signal }),
  );
  // What it warns of in the catalog in force is no doing of the draft.
  const warnings = checked.value?.warnings ?? [];
  const before = useResource(
    changed && current && warnings.length > 0 ? `warnings ${current.version}` : undefined,
    (signal) => call('validateCatalog', { body: { catalog: { ...current!.catalog } }, signal }),
  );
  const known = new Set(before.value?.warnings?.map((each) => placed(current!.catalog as Catalog, each)));
  const empty = changed && current ? unwritten(current.catalog as Catalog, catalog) : [];
  const issues = [
    ...empty,
    ...(checked.value?.issues ?? []).filter(({ path }) => !empty.some((each) => each.path === path)),
  ];
  const toFirstError = () => {
    const [, list, index] = /^(\w+)\[(\d+)\]/.exec(issues[0]?.path ?? '') ?? [];
    const to =
      list !== undefined && list in LISTS
        ? pathOf(list as ListName, entriesOf(catalog, list as ListName)[Number(index)])
        : path;
    setTried({ path: to, turn: tried.turn + 1 });
    if (to !== path) route(to);
  };
  const change = (next: Catalog) =>
    setDraft({ workspace, version: changed?.version ?? current!.version, catalog: next });
  return (
    <>
      <ViewHead
        title="Catalog"
        summary={
          current &&
          (current.version === 0 ? (
            'version 0, which the service brings along'
          ) : (
            <>
              version {current.version}
              {current.createdAt !== null && (
                <>
                  , published <Time at={current.createdAt} />
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
              <>
                <a class="button" href={VERSIONS}>
                  History
                </a>
                <a class="button" href={`${VERSIONS}/${current.version}`}>
                  What version {current.version} changed and earned
                </a>
              </>
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
      {current && place && (
        <Editor
          {...place}
          catalog={catalog}
          issues={issues}
          tried={tried.path === path ? tried.turn : 0}
          disabled={!editable}
          change={change}
          key={path}
        />
      )}
      {current && ofVersions && (
        <Versions current={current.version} editable={editable} drafted={!!changed} changed={stored.reload} />
      )}
      {current && !place && !ofVersions && (
        <>
          <FilterBar filters={filters} fields={[searchOf(catalog)]} inline />
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
      {/* Below a long form, where it is in sight when the last field is filled in. */}
      {current && changed && (
        <DraftBar
          based={changed.version}
          current={current.version}
          checking={checked.loading}
          valid={checked.value?.valid === true && !checked.loading && issues.length === 0}
          issues={issues.length}
          unfilled={tried.turn > 0 ? 0 : issues.filter((issue) => isUnfilled(catalog, issue.path)).length}
          toFirstError={toFirstError}
          warnings={warnings
            .map((each) => ({ ...each, old: known.has(placed(catalog, each)) }))
            .sort((a, b) => Number(a.old) - Number(b.old))}
          catalog={changed.catalog}
          before={current.catalog as Catalog}
          stored={(version) => {
            setPublished({ version, before: current.catalog as Catalog, after: changed.catalog });
            stored.reload();
          }}
          discarded={() => {
            // What was only in the draft is gone with it.
            const left = place && entriesOf(current.catalog as Catalog, place.list);
            if (left && !left.some((entry) => entry[LISTS[place.list].id] === place.id)) route('/catalog');
          }}
        />
      )}
      {current && !changed && published && <Published {...published} close={() => setPublished(undefined)} />}
    </>
  );
}

/** Where an entry is edited. */
const pathOf = (list: ListName, entry: Entry | undefined) =>
  `/catalog/${list}/${encodeURIComponent(textOf(entry?.[LISTS[list].id]))}`;

/** The search, in which Enter opens what it finds alone. */
const searchOf = (catalog: Catalog): FilterField => ({
  name: 'search',
  label: 'Search',
  kind: 'text',
  placeholder: 'name, category or title',
  only: (text) => {
    const found = (Object.keys(LISTS) as ListName[]).flatMap((list) =>
      entriesWith(catalog, list, text).map((entry) => pathOf(list, entry)),
    );
    return text !== '' && found.length === 1 ? found[0] : undefined;
  },
});

/** A warning by the name of its entry, which has another index where entries were added. */
const placed = (catalog: Catalog, { path, message }: { path: string; message: string }): string =>
  `${path.replace(/^(\w+)\[(\d+)\]/, (all, list, index) =>
    list in LISTS ? pathOf(list, entriesOf(catalog, list)[Number(index)]) : all,
  )} ${message}`;

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
