import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';
import {
  type Catalog,
  type Entry,
  emptyEntry,
  entriesOf,
  LISTS,
  type ListName,
  stateOf,
  textOf,
  withEntries,
} from './schema.ts';

/** The contents or the templates of a catalog, and a form that begins another one. */
export function EntryTable(props: {
  list: ListName;
  catalog: Catalog;
  editable: boolean;
  change: (catalog: Catalog) => void;
}): VNode {
  const { list, catalog, editable, change } = props;
  const { route } = useLocation();
  const [name, setName] = useState('');
  const { id: key, one } = LISTS[list];
  const entries = entriesOf(catalog, list);
  const taken = entries.some((entry) => entry[key] === name);
  const begin = (event: Event) => {
    event.preventDefault();
    if (name === '' || taken) return;
    change(withEntries(catalog, list, [...entries, emptyEntry(list, name)]));
    route(`/catalog/${list}/${encodeURIComponent(name)}`);
  };
  return (
    <Box title={LISTS[list].title} note={NOTES[list]}>
      {entries.length === 0 ? (
        <Empty title={`The catalog names no ${list}.`} />
      ) : (
        <Table
          label={LISTS[list].title}
          rows={entries}
          keyOf={(entry) => textOf(entry[key])}
          columns={[
            {
              title: 'Name',
              cell: (entry) => (
                <a href={`/catalog/${list}/${encodeURIComponent(textOf(entry[key]))}`}>
                  <Text of={textOf(entry[key])} />
                </a>
              ),
            },
            ...(list === 'goals' ? GOAL_COLUMNS : COLUMNS),
          ]}
        />
      )}
      {editable && (
        <form class="actions" onSubmit={begin}>
          <label class="choice">
            Name of a new {one}
            <input type="text" maxLength={256} value={name} onInput={(e) => setName(e.currentTarget.value)} />
          </label>
          <button type="submit" disabled={name === '' || taken}>
            Make a {one}
          </button>
          {taken && <span class="issue">This name is taken.</span>}
        </form>
      )}
    </Box>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  {
    title: 'State',
    cell: (entry) => {
      const state = stateOf(entry, Date.now());
      return <Badge tone={state === 'active' ? 'good' : 'warn'}>{state}</Badge>;
    },
  },
  { title: 'Category', wide: true, cell: (entry) => <Text of={textOf(entry.category)} /> },
  { title: 'Title', wide: true, cell: (entry) => <Text of={textOf(entry.title)} /> },
];

const GOAL_COLUMNS: readonly Column<Entry>[] = [
  { title: 'Event', cell: (entry) => <Text of={textOf(entry.event)} /> },
  { title: 'Filter', wide: true, cell: (entry) => <Text of={textOf(entry.where)} /> },
  { title: 'Within', wide: true, cell: (entry) => <Text of={textOf(entry.within)} /> },
];

const NOTES = {
  contents: 'what decisions choose',
  templates: 'what notifications say; a catalog without any has the built-in ones',
  goals: 'what decisions should lead to, counted from events',
} as const;
