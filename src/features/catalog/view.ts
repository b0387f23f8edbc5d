import type { Field } from '../../cli/terminal/listing.ts';
import { bold, dim, type Text } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';
import type { CatalogChange } from './diff.ts';

type Row = Readonly<Record<string, unknown>>;

/** The fields of a list of versions. */
export const VERSION_FIELDS: readonly Field<Row>[] = [
  { field: 'version', title: 'VERSION', align: 'right' },
  { field: 'createdAt', title: 'AT', whole: true },
  { field: 'author', title: 'AUTHOR' },
  { field: 'note', title: 'NOTE' },
  { field: 'revertOf', title: 'REVERT OF', align: 'right' },
  { field: 'bytes', title: 'BYTES', align: 'right', extra: true },
];

/** Says which version is in force after a change. */
export function showPut(body: unknown): Text {
  const { version, unchanged } = objectOf(body);
  return unchanged === true
    ? `version ${version} is in force: nothing has changed`
    : `version ${version} is in force`;
}

const SIGNS = { added: '+', removed: '-', changed: '~', reordered: '~' } as const;
/** Characters of a value that are shown. */
const LONG = 200;

/** Renders differences, one a line. */
export function showChanges(changes: readonly CatalogChange[]): Text {
  return changes.flatMap(({ path, change, before, after }): Text[] => [
    `${SIGNS[change]} `,
    bold(path),
    change === 'reordered' ? dim(' in another order') : '',
    before === undefined ? '' : [' ', short(before)],
    before === undefined || after === undefined ? '' : dim(' →'),
    after === undefined ? '' : [' ', short(after)],
    '\n',
  ]);
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > LONG ? `${text.slice(0, LONG).toWellFormed()}…` : text;
}
