import type { Column } from './table.ts';
import type { Text } from './text.ts';

/** A field of the rows of a list: a column of its table, and a member of each row under `--json`. */
export interface Field<Row> extends Pick<Column, 'align' | 'whole'> {
  /** The name of the member. */
  readonly field: string;
  /** The title of the column. */
  readonly title: string;
  /** True for a field that is shown only where --fields names it. */
  readonly extra?: boolean;
  /** The text of the cell. Default: that of the value. */
  readonly cell?: (row: Row) => Text;
}

/** A list, as a table and as a JSON document. */
export interface Listing<Row> {
  /** The member of the document that holds the rows, such as `webhooks`. */
  readonly key: string;
  readonly rows: readonly Row[];
  readonly fields: readonly Field<Row>[];
  /** The other members of the document. */
  readonly rest?: object;
  /** What to say instead of an empty table. */
  readonly empty: Text;
}

/** The columns and rows of the table, with the selected fields in their order. */
export function tableOf<Row extends object>(
  { rows, fields }: Pick<Listing<Row>, 'rows' | 'fields'>,
  selected: readonly string[] | undefined,
): { columns: Column[]; cells: Text[][] } {
  const shown = selected
    ? selected.flatMap((name) => fields.filter(({ field }) => field === name))
    : fields.filter(({ extra }) => !extra);
  return {
    columns: shown,
    cells: rows.map((row) =>
      shown.map(({ field, cell }) => (cell ? cell(row) : textOf((row as Record<string, unknown>)[field]))),
    ),
  };
}

/** The JSON document, each row with the selected fields in their order. */
export function documentOf<Row extends object>(
  { key, rows, rest }: Listing<Row>,
  selected: readonly string[] | undefined,
): Record<string, unknown> {
  const pick = (row: Row) =>
    Object.fromEntries(selected!.map((name) => [name, (row as Record<string, unknown>)[name]]));
  return { ...rest, [key]: selected ? rows.map(pick) : rows };
}

/** A value as the text of a cell. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
