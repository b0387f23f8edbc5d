import type { Dialect, SqlValue, Tx } from './store.ts';

/** Row counts of statements: a list is split into these, so that few statements are prepared. */
const CHUNKS = [64, 8, 1];

/** Splits a list for statements whose text depends on the number of rows. */
export function* chunked<T>(all: readonly T[]): Generator<readonly T[]> {
  let from = 0;
  for (const size of CHUNKS)
    for (; all.length - from >= size; from += size) yield all.slice(from, from + size);
}

/** `?, ?, ?`, or as many of another text. */
export const marks = (count: number, each = '?') => Array(count).fill(each).join(', ');

/**
 * Inserts rows, each with a value for every column of `insert`, such as `INSERT INTO contact (workspace_id, hash_id)`.
 * `then` follows the values: what happens on a conflict. Returns how many rows were added.
 */
export async function insertRows(
  tx: Tx,
  insert: string,
  rows: readonly (readonly SqlValue[])[],
  then = '',
): Promise<number> {
  let added = 0;
  for (const part of chunked(rows)) {
    const values = marks(part.length, `(${marks(part[0]!.length)})`);
    added += await tx.sql.run(`${insert} VALUES ${values} ${then}`, part.flat());
  }
  return added;
}

/**
 * Rows as a query, whose text does not depend on how many they are, and its only parameter. The columns are `c0`, `c1` and so
 * on, as text: cast those that are numbers. Materialize it (`WITH v AS MATERIALIZED`), so that SQLite looks up each of its
 * rows in the other table.
 */
export function rowsQuery(
  dialect: Pick<Dialect, 'name'>,
  rows: readonly (readonly (string | number | null)[])[],
): { readonly text: string; readonly param: SqlValue } {
  const columns = (rows[0] ?? []).map((_, i) => `r.value ->> ${i} AS c${i}`).join(', ');
  const from =
    dialect.name === 'postgres' ? 'jsonb_array_elements((?)::jsonb) AS r(value)' : 'json_each(?) AS r';
  return { text: `SELECT ${columns} FROM ${from}`, param: JSON.stringify(rows) };
}

/**
 * Deletes up to `limit` rows of a workspace that meet a condition, and that no other transaction has locked. `key`:
 * the columns of the primary key behind the workspace. Returns how many.
 */
export function deleteSome(
  tx: Tx,
  workspaceId: string,
  { table, key }: { readonly table: string; readonly key: string },
  where: string,
  params: readonly SqlValue[],
  limit: number,
): Promise<number> {
  return tx.sql.run(
    `WITH taken AS MATERIALIZED (SELECT workspace_id, ${key} FROM ${table}
       WHERE workspace_id = ? AND ${where} LIMIT ? ${tx.sql.dialect.skipLocked})
     DELETE FROM ${table} WHERE (workspace_id, ${key}) IN (SELECT * FROM taken)`,
    [workspaceId, ...params, limit],
  );
}

/** Returns the removal of rows that are older than `keptMs` by the time in a column. */
export function olderThan(
  table: string,
  key: string,
  column: string,
  keptMs: number,
): (tx: Tx, workspaceId: string, limit: number) => Promise<number> {
  return (tx, workspaceId, limit) =>
    deleteSome(tx, workspaceId, { table, key }, `${column} < ?`, [tx.now - keptMs], limit);
}
