import { basename } from 'node:path';
import type { Field } from '../../../cli/terminal/listing.ts';
import { green, red, type Text, yellow } from '../../../cli/terminal/text.ts';
import type { StoredImport } from '../../../contract/console.ts';
import { firstNames } from '../input/archive/files-in.ts';

const STATES: Readonly<Record<StoredImport['state'], (text: Text) => Text>> = {
  finished: green,
  unfinished: yellow,
  running: (text) => text,
  unusable: red,
  unreadable: red,
};

/** The fields of the list of imports. */
export const IMPORT_FIELDS: readonly Field<StoredImport>[] = [
  { field: 'id', title: 'IMPORT', whole: true, cell: ({ id }) => id.slice(0, 12) },
  { field: 'state', title: 'STATE', whole: true, cell: ({ state }) => STATES[state](state) },
  {
    field: 'inputs',
    title: 'INPUT',
    cell: ({ inputs }) => firstNames((inputs ?? []).map((input) => basename(input))),
  },
  { field: 'workspace', title: 'WORKSPACE' },
  { field: 'acknowledged', title: 'ACKNOWLEDGED', align: 'right' },
  { field: 'inDoubt', title: 'IN DOUBT', align: 'right', extra: true },
  { field: 'left', title: 'LEFT', align: 'right', cell: ({ left }) => (left === null ? '?' : String(left)) },
  { field: 'kind', title: 'KIND', extra: true },
  { field: 'baseUrl', title: 'BASE URL', whole: true, extra: true },
  { field: 'lastAt', title: 'LAST SENT', whole: true, extra: true },
  { field: 'rejectsFile', title: 'REJECTS', extra: true },
  {
    field: 'runs',
    title: 'LAST RUN',
    whole: true,
    cell: ({ runs }) => {
      const last = runs?.find(({ undone }) => !undone);
      return last ? last.runId : '';
    },
  },
];
