import { hash } from 'node:crypto';
import { bytesOf, readPage } from '../platform/store/pages.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { chunked, marks, rowsQuery } from '../platform/store/rows.ts';
import type { SqlValue, Tx } from '../platform/store/store.ts';
import { type CopiedTable, type Value, valuesOf } from './tables.ts';

/** A row by its values, in the order of the table's columns. */
export type Row = readonly Value[];

/** Runs work in a transaction that reads: one for each page, or the same one for all. */
export type Reading = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The rows of a table that a workspace has: how many, and the exclusive or of their hashes, whatever their order. */
export interface Digest {
  readonly rows: number;
  readonly digest: string;
}

/** Rows per page; long ones make it shorter. */
const PAGE = 2000;

/** Written when the copy ends (copy.ts), and not compared. */
const OWN_OF_A_STORE: Readonly<Record<string, readonly string[]>> = {
  workspace: ['frozen_at'],
  // Requests that are refused do not count, but one may have ended meanwhile.
  api_key: ['last_used_at'],
};

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
    const from = last === undefined || key.length === 0 ? '' : ` AND (${keys}) > (${marks(key.length)})`;
    const page = await reading((tx) =>
      readPage<Record<string, SqlValue>>(tx, {
        columns: columns.map(({ name: column }) => column).join(', '),
        long,
        from: `${name} WHERE workspace_id = ?${from}`,
        params: [workspaceId, ...(from === '' ? [] : last!)],
        order: key.length === 0 ? 'workspace_id' : keys,
        limit: PAGE,
      }),
    );
    return { rows: page.rows.map((row) => valuesOf(table, row)), more: page.more };
  }
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

/** Counts and hashes rows as they come. */
export class Digesting {
  readonly #table: CopiedTable;
  readonly #skipped: readonly number[];
  readonly #sum = new Uint32Array(4);
  #rows = 0;

  constructor(table: CopiedTable) {
    this.#table = table;
    const skipped = OWN_OF_A_STORE[table.name] ?? [];
    this.#skipped = table.columns.flatMap(({ name }, i) => (skipped.includes(name) ? [i] : []));
  }

  add(row: Row): void {
    this.#rows++;
    const own = this.hash(row);
    for (let i = 0; i < this.#sum.length; i++) this.#sum[i]! ^= own.readUInt32LE(4 * i);
  }

  /** Identifies what a row holds. */
  hash(row: Row): Buffer {
    const values = row.map((value, i) =>
      this.#skipped.includes(i)
        ? null
        : value instanceof Uint8Array
          ? Buffer.from(value).toString('base64')
          : value,
    );
    return hash('sha256', JSON.stringify([this.#table.name, ...values]), 'buffer');
  }

  get value(): Digest {
    return { rows: this.#rows, digest: Buffer.from(this.#sum.buffer).toString('hex') };
  }
}

/** The digest of the rows of a table that a workspace has. */
export async function digestOf(
  reading: Reading,
  table: CopiedTable,
  workspaceId: string,
  onRows: (count: number) => void = () => {},
): Promise<Digest> {
  const digesting = new Digesting(table);
  for await (const page of pagesOf(reading, table, workspaceId)) {
    for (const row of page) digesting.add(row);
    onRows(page.length);
  }
  return digesting.value;
}

/** The key of a row, without the workspace. */
const keyOf = ({ columns, key }: CopiedTable, row: Row): Value[] =>
  key.map((name) => row[columns.findIndex((column) => column.name === name)]!);

/** Identifies a row by its key. */
export const keyTextOf = (table: CopiedTable, row: Row): string => JSON.stringify(keyOf(table, row));

export async function insertAll(tx: Tx, { name, columns }: CopiedTable, rows: readonly Row[]): Promise<void> {
  const others = columns.slice(1).map((column) => column.name);
  await pipeline(
    [...chunked(rows)].map((part) =>
      tx.sql.run(
        `INSERT INTO ${name} (workspace_id, ${others.join(', ')})
         VALUES ${marks(part.length, `(${marks(columns.length)})`)}`,
        part.flat(),
      ),
    ),
  );
}

/** Of these rows those whose keys a workspace has, as they are there. */
export async function findAll(
  tx: Tx,
  table: CopiedTable,
  workspaceId: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const { name, columns, key } = table;
  const all = columns.map((column) => `t.${column.name}`).join(', ');
  if (key.length === 0) {
    const found = await tx.sql.all<Record<string, SqlValue>>(
      `SELECT ${all} FROM ${name} t WHERE t.workspace_id = ?`,
      [workspaceId],
    );
    return found.map((row) => valuesOf(table, row));
  }
  const { text, param } = keysOf(tx, table, rows);
  const found = await tx.sql.all<Record<string, SqlValue>>(
    `WITH v AS MATERIALIZED (${text})
     SELECT ${all} FROM v JOIN ${name} t ON ${key.map((column, i) => `t.${column} = ${keyColumn(table, i)}`).join(' AND ')}
     WHERE t.workspace_id = ?`,
    [param, workspaceId],
  );
  return found.map((row) => valuesOf(table, row));
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
