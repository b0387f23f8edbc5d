import { bytesOf, countFitting } from '../platform/store/pages.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { chunked, marks, rowsQuery } from '../platform/store/rows.ts';
import type { SqlValue, Tx } from '../platform/store/store.ts';
import type { CopiedTable, Value } from './tables.ts';

/** A row by its values, in the order of the table's columns. */
export type Row = readonly Value[];

/** Runs work in a transaction that reads: one for each page, or the same one for all. */
export type Reading = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Maximum rows and bytes of a page; a larger row is a page alone. */
const PAGE = 2000;
const PAGE_BYTES = 1024 * 1024;

/** The rows of a table in the order of its key, page by page, after the row with this key. */
export async function* pagesOf(
  reading: Reading,
  table: CopiedTable,
  workspaceId: string,
  after?: readonly Value[],
): AsyncGenerator<readonly Row[]> {
  const { name, columns, key } = table;
  const long = columns
    .filter(({ type }) => type === 'text' || type === 'bytes')
    .map(({ name: column }) => column);
  const keys = key.join(', ');
  let last = after;
  // The next page is read while the last one is written.
  let next = read();
  for (;;) {
    const { rows, more } = await next;
    if (rows.length === 0) return;
    last = keyOf(table, rows.at(-1)!);
    if (more) {
      next = read();
      next.catch(() => {});
    }
    yield rows;
    if (!more) return;
  }

  async function read() {
    const after = last === undefined || key.length === 0 ? '' : ` AND (${keys}) > (${marks(key.length)})`;
    const order = key.length === 0 ? 'workspace_id' : keys;
    const params = [workspaceId, ...(after === '' ? [] : last!)];
    return reading(async (tx) => {
      const from = `${name} t WHERE t.workspace_id = ?${after}`;
      const { count, more } = await countFitting(tx, { long, from, params, order, limit: PAGE }, PAGE_BYTES);
      if (count === 0) return { rows: [], more };
      const select = (values: string) =>
        `SELECT ${values} FROM ${name} t WHERE t.workspace_id = ?${after} ORDER BY ${order} LIMIT ?`;
      return { rows: await readRows(tx, table, workspaceId, select, [...params, count]), more };
    });
  }
}

/**
 * Reads rows of a workspace as JSON that the database writes, in one value: a value of each column and row costs a
 * multiple in the drivers. Not so numbers that are not whole, of which SQLite writes 15 digits into JSON. `select` returns
 * the statement for values of the table `t`, in an order that does not depend on them.
 */
async function readRows(
  tx: Tx,
  { columns }: CopiedTable,
  workspaceId: string,
  select: (values: string) => string,
  params: readonly SqlValue[],
): Promise<Row[]> {
  const isSqlite = tx.sql.dialect.name === 'sqlite';
  const [array, join] = isSqlite ? ['json_array', 'group_concat'] : ['json_build_array', 'string_agg'];
  const values = columns.slice(1).map(({ name, type }) => {
    if (isSqlite && type === 'real') return 'NULL';
    if (type !== 'bytes') return `t.${name}`;
    return isSqlite
      ? `CASE WHEN t.${name} IS NOT NULL THEN hex(t.${name}) END`
      : `upper(encode(t.${name}, 'hex'))`;
  });
  const found = await tx.sql.get<{ all_rows: string | null }>(
    `SELECT ${join}(one_row, ',') AS all_rows
     FROM (${select(`CAST(${array}(${values.join(', ')}) AS TEXT) AS one_row`)}) AS r`,
    params,
  );
  const rows = JSON.parse(`[${found!.all_rows ?? ''}]`) as Value[][];
  for (const row of rows) row.unshift(workspaceId);
  const reals = columns.flatMap(({ name, type }, i) => (type === 'real' ? [[name, i] as const] : []));
  if (reals.length === 0) return rows;
  if (!isSqlite) {
    // What JSON has no number for is a text there.
    for (const row of rows) for (const [, i] of reals) if (row[i] !== null) row[i] = Number(row[i]);
    return rows;
  }
  const numbers = await tx.sql.all<Record<string, number | null>>(
    select(reals.map(([name]) => `t.${name}`).join(', ')),
    params,
  );
  for (const [n, row] of rows.entries()) for (const [name, i] of reals) row[i] = numbers[n]![name]!;
  return rows;
}

/** How many rows of a table a workspace has, and about how many bytes. */
export async function sizeOf(
  tx: Tx,
  { name, columns }: CopiedTable,
  workspaceId: string,
): Promise<{ rows: number; bytes: number }> {
  const long = columns
    .filter(({ type }) => type === 'text' || type === 'bytes')
    .map(({ name: column }) => column);
  const row = await tx.sql.get<{ rows: number; bytes: number }>(
    `SELECT count(*) AS rows, COALESCE(sum(${bytesOf(long)}), 0) AS bytes FROM ${name} WHERE workspace_id = ?`,
    [workspaceId],
  );
  return { rows: Number(row!.rows), bytes: Number(row!.bytes) };
}

/** How many rows of a table a workspace has. */
export async function countOf(tx: Tx, { name }: CopiedTable, workspaceId: string): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${name} WHERE workspace_id = ?`, [
    workspaceId,
  ]);
  return Number(row!.n);
}

/** The key of a row, without the workspace. */
export const keyOf = ({ columns, key }: CopiedTable, row: Row): Value[] =>
  key.map((name) => row[columns.findIndex((column) => column.name === name)]!);

/** Identifies a row by its key. */
export const keyTextOf = (table: CopiedTable, row: Row): string => JSON.stringify(keyOf(table, row));

export async function insertAll(tx: Tx, table: CopiedTable, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { name, columns } = table;
  const [id, ...others] = columns.map((column) => column.name);
  if (tx.sql.load) return tx.sql.load(name, [id!, ...others], String(rows[0]![0]), copyLines(table, rows));
  const values = columns.map(({ type }) => (type === 'bytes' ? 'unhex(?)' : '?')).join(', ');
  await pipeline(
    [...chunked(rows)].map((part) =>
      tx.sql.run(
        `INSERT INTO ${name} (workspace_id, ${others.join(', ')}) VALUES ${marks(part.length, `(${values})`)}`,
        part.flat(),
      ),
    ),
  );
}

/** Rows in the text format of COPY (PostgreSQL manual). */
function copyLines({ columns }: CopiedTable, rows: readonly Row[]): string {
  let lines = '';
  for (const row of rows)
    for (let i = 0; i < row.length; i++) {
      const value = row[i]!;
      if (value === null) lines += '\\N';
      else if (columns[i]!.type === 'bytes') lines += `\\\\x${value}`;
      else lines += typeof value === 'string' && ESCAPED.test(value) ? escaped(value) : value;
      lines += i === row.length - 1 ? '\n' : '\t';
    }
  return lines;
}

/** Characters that the format of COPY uses itself. */
const ESCAPED = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (text: string) => text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!);

/** Of these rows those whose keys a workspace has, as they are there. */
export async function findAll(
  tx: Tx,
  table: CopiedTable,
  workspaceId: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const { name, key } = table;
  if (key.length === 0) {
    const select = (values: string) => `SELECT ${values} FROM ${name} t WHERE t.workspace_id = ?`;
    return readRows(tx, table, workspaceId, select, [workspaceId]);
  }
  const { text, param } = keysOf(tx, table, rows);
  const isKey = key.map((column, i) => `t.${column} = ${keyColumn(table, i)}`).join(' AND ');
  const select = (values: string) =>
    `WITH v AS MATERIALIZED (${text})
     SELECT ${values} FROM v JOIN ${name} t ON ${isKey}
     WHERE t.workspace_id = ? ORDER BY ${key.map((column) => `t.${column}`).join(', ')}`;
  return readRows(tx, table, workspaceId, select, [param, workspaceId]);
}

/** Deletes the rows with the keys of these. */
export async function deleteAll(
  tx: Tx,
  table: CopiedTable,
  workspaceId: string,
  rows: readonly Row[],
): Promise<void> {
  const { name, key } = table;
  if (key.length === 0) {
    await tx.sql.run(`DELETE FROM ${name} WHERE workspace_id = ?`, [workspaceId]);
    return;
  }
  const { text, param } = keysOf(tx, table, rows);
  await tx.sql.run(
    `WITH v AS MATERIALIZED (${text})
     DELETE FROM ${name} WHERE workspace_id = ? AND (${key.join(', ')}) IN
       (SELECT ${key.map((_, i) => keyColumn(table, i)).join(', ')} FROM v)`,
    [param, workspaceId],
  );
}

const keysOf = (tx: Tx, table: CopiedTable, rows: readonly Row[]) =>
  rowsQuery(
    tx.sql.dialect,
    rows.map((row) => keyOf(table, row) as (string | number)[]),
  );

function keyColumn({ columns, key }: CopiedTable, i: number): string {
  const { type } = columns.find(({ name }) => name === key[i])!;
  return type === 'integer' ? `CAST(v.c${i} AS bigint)` : `v.c${i}`;
}
