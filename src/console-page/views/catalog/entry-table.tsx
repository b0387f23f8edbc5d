import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { useFilters } from '../../data/filters.ts';
import { Badge } from '../../parts/badge.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';
import {
  type Catalog,
  type Entry,
  emptyEntry,
  entriesOf,
  LISTS,
  type ListName,
  stateOf,
  TRANSLATIONS,
  textOf,
  withEntries,
} from './schema.ts';

type Earned = Pick<AnswerOf<'listContents'>['items'][number], 'served' | 'rate'>;

/** The contents or the templates of a catalog, and a form that begins another one. */
export function EntryTable(props: {
  list: ListName;
  catalog: Catalog;
  editable: boolean;
  change: (catalog: Catalog) => void;
  /** What contents earned, by identifier; empty before it is known. */
  earned: ReadonlyMap<string, Earned>;
}): VNode {
  const { list, catalog, editable, change, earned } = props;
  const { route } = useLocation();
  const filters = useFilters();
  const [name, setName] = useState('');
  const { id: key, one } = LISTS[list];
  const entries = entriesOf(catalog, list);
  const found = entriesWith(catalog, list, filters.values.search ?? '');
  const taken = entries.some((entry) => entry[key] === name);
  const begin = (event: Event) => {
    event.preventDefault();
    if (name === '' || taken) return;
    change(withEntries(catalog, list, [...entries, emptyEntry(list, name)]));
    route(`/catalog/${list}/${encodeURIComponent(name)}`);
  };
  const { title } = LISTS[list];
  return (
    <Box title={titleOf(list, entries, found.length)} label={title} note={NOTES[list]}>
      {editable && (
        <form class="actions begin" onSubmit={begin}>
          {taken && <span class="issue">This name is taken.</span>}
          <label class="visually-hidden" for={`new-${list}`}>
            Name of a new {one}
          </label>
          <input
            id={`new-${list}`}
            type="text"
            placeholder={`name of a new ${one}`}
            maxLength={256}
            value={name}
            onInput={(e) => setName(e.currentTarget.value)}
          />
          <button type="submit" disabled={name === '' || taken}>
            New {one}
          </button>
        </form>
      )}
      {entries.length === 0 ? (
        <Empty title={`The catalog names no ${list}.`} />
      ) : found.length === 0 ? (
        <p class="note">No {one} has this in its name, category or title.</p>
      ) : (
        <Table
          label={title}
          dense
          rows={found}
          keyOf={(entry) => textOf(entry[key])}
          filters={filters}
          columns={[
            {
              title: 'Name',
              sortBy: (entry) => textOf(entry[key]),
              cell: (entry) => (
                <a href={`/catalog/${list}/${encodeURIComponent(textOf(entry[key]))}`}>
                  <Cut of={textOf(entry[key])} />
                </a>
              ),
            },
            ...(list === 'goals'
              ? GOAL_COLUMNS
              : list === 'contents'
                ? [...COLUMNS, ...earnedColumns(earned)]
                : templateColumns(entries)),
            ...(entries.some((entry) => entry[TRANSLATIONS[list] ?? '']) ? [translationColumn(list)] : []),
          ]}
        />
      )}
    </Box>
  );
}

/** The entries of a list that have a text in their name, category, title or event, in letters of any size. */
export const entriesWith = (catalog: Catalog, list: ListName, search: string): readonly Entry[] =>
  entriesOf(catalog, list).filter(({ [LISTS[list].id]: name, category, title, event }) =>
    [name, category, title, event].some((text) => textOf(text).toLowerCase().includes(search.toLowerCase())),
  );

/** How many entries there are, and how many of them are not used now; how many are found where some are not. */
function titleOf(list: ListName, entries: readonly Entry[], found: number): string {
  const all = counted(entries.length, LISTS[list].one);
  if (found < entries.length) return `${count(found)} of ${all}`;
  if (list === 'goals' || entries.length === 0) return all;
  const states = entries.map((entry) => stateOf(entry, Date.now()));
  const others = (['paused', 'scheduled', 'ended'] as const)
    .map((state) => [state, states.filter((each) => each === state).length] as const)
    .filter(([, n]) => n > 0)
    .map(([state, n]) => `${count(n)} ${state}`);
  return `${all}, ${others.length === 0 ? 'all active' : others.join(', ')}`;
}

const COLUMNS: readonly Column<Entry>[] = [
  {
    title: 'State',
    sortBy: (entry) => stateOf(entry, Date.now()),
    cell: (entry) => {
      const state = stateOf(entry, Date.now());
      return <Badge tone={state === 'active' ? 'good' : 'warn'}>{state}</Badge>;
    },
  },
  {
    title: 'Category',
    wide: true,
    sortBy: (entry) => textOf(entry.category),
    cell: (entry) => <Cut of={textOf(entry.category)} />,
  },
  {
    title: 'Title',
    wide: true,
    sortBy: (entry) => textOf(entry.title),
    cell: (entry) => <Cut of={textOf(entry.title)} />,
  },
];

/** What contents earned so far, beside their entries. */
function earnedColumns(earned: ReadonlyMap<string, Earned>): readonly Column<Entry>[] {
  const of = (entry: Entry) => earned.get(textOf(entry.contentId));
  return [
    {
      title: 'Served',
      note: 'messages, in all',
      align: 'end',
      wide: true,
      sortBy: (entry) => of(entry)?.served ?? 0,
      cell: (entry) => count(of(entry)?.served ?? 0),
    },
    {
      title: 'Rate',
      note: 'of these acted on',
      align: 'end',
      wide: true,
      sortBy: (entry) => of(entry)?.rate ?? -1,
      cell: (entry) => {
        const { rate = null } = of(entry) ?? {};
        return rate === null ? <span class="note">none</span> : percent(rate);
      },
    },
  ];
}

/** Few templates have a category. */
const templateColumns = (entries: readonly Entry[]) =>
  entries.some(({ category }) => category) ? COLUMNS : COLUMNS.filter(({ title }) => title !== 'Category');

/** The locales that the entries of a list have texts in, beside their own. */
function translationColumn(list: ListName): Column<Entry> {
  const of = (entry: Entry) => Object.keys((entry[TRANSLATIONS[list] ?? ''] ?? {}) as Entry).join(', ');
  return {
    title: 'Translations',
    wide: true,
    sortBy: of,
    cell: (entry) => (of(entry) ? <Cut of={of(entry)} /> : <span class="note">none</span>),
  };
}

const GOAL_COLUMNS: readonly Column<Entry>[] = [
  { title: 'Event', cell: (entry) => <Cut of={textOf(entry.event)} /> },
  { title: 'Filter', wide: true, cell: (entry) => <Cut of={textOf(entry.where)} /> },
  { title: 'Within', wide: true, cell: (entry) => <Cut of={textOf(entry.within)} /> },
];

const NOTES = {
  contents: 'what decisions choose',
  templates: 'what notifications say; a catalog without any has the built-in ones',
  goals: 'what decisions should lead to, counted from events',
} as const;
