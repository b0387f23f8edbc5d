import { GLOBAL_TABLES } from '../platform/store/global-tables.ts';
import { MIGRATIONS } from '../platform/store/schema/index.ts';
import { sqliteDialect } from '../platform/store/sqlite/connection.ts';

/** What a column holds. The drivers of the engines differ in the form of numbers. */
type ColumnType = 'text' | 'integer' | 'real' | 'bytes';

/** A table whose rows belong to workspaces, as both engines have it. */
export interface CopiedTable {
  readonly name: string;
  /** The first is the workspace. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** The columns of the primary key, without the workspace. */
  readonly key: readonly string[];
}

/** A value of a row, in the same form whichever engine it was read from: bytes in hexadecimal. */
export type Value = string | number | null;

/** Each engine counts requests in tables of its own, for the time of one window. */
const NOT_COPIED = ['admission'];

const TYPES: Readonly<Record<string, ColumnType>> = {
  TEXT: 'text',
  INTEGER: 'integer',
  BLOB: 'bytes',
  'DOUBLE PRECISION': 'real',
};

/** The tables of workspaces, by the schema: that of the workspaces first, and those of their keys. */
export const copiedTables = (): readonly CopiedTable[] =>
  MIGRATIONS.flatMap((migration) => migration.up(sqliteDialect))
    .flatMap((statement) => tableOf(statement) ?? [])
    .filter(
      ({ name, columns }) =>
        !NOT_COPIED.includes(name) &&
        (!GLOBAL_TABLES.includes(name) || columns.some((column) => column.name === 'workspace_id')),
    );

function tableOf(statement: string): CopiedTable | undefined {
  const [, name, body] = /^CREATE TABLE (\w+) \(([\s\S]*)\)/.exec(statement) ?? [];
  if (name === undefined || body === undefined) return undefined;
  const lines = body.split('\n').map((line) => line.replace(/--.*/, '').trim());
  const columns = lines.flatMap((line) => {
    const [, column, type] = /^(\w+) (TEXT|INTEGER|BLOB|DOUBLE PRECISION)\b/.exec(line) ?? [];
    return column === undefined ? [] : [{ name: column, type: TYPES[type!]! }];
  });
  const alone = lines.flatMap((line) => /^(\w+) .*PRIMARY KEY/.exec(line)?.[1] ?? []);
  const listed = /^PRIMARY KEY \(([^)]*)\)/m.exec(lines.join('\n'))?.[1]?.split(', ') ?? alone;
  columns.sort((a, b) => Number(b.name === 'workspace_id') - Number(a.name === 'workspace_id'));
  return { name, columns, key: listed.filter((column) => column !== 'workspace_id') };
}
