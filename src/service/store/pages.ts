import type { SqlValue, Tx } from './store.ts';

/** Most bytes of the rows that are read at once; a row that is larger is read alone. */
export const PAGE_BYTES = 512 * 1024;

/** What a row costs beside its long columns. */
const ROW_BYTES = 128;

/** What is read: the same rows in the same order, first their sizes, then those that fit. */
export interface PageQuery {
  readonly columns: string;
  /** The columns that may be long. */
  readonly long: readonly string[];
  /** Further bytes of a row, as an expression; for what is read along with it. */
  readonly alongside?: string;
  /** Everything from the table to the end of the conditions. */
  readonly from: string;
  readonly params: readonly SqlValue[];
  readonly order: string;
  readonly most: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** True where more rows follow. */
  readonly more: boolean;
}

/**
 * Reads rows until there are `most` of them or PAGE_BYTES, at least one. The lengths are summed up by the database
 * without touching the long values, so what does not fit is never read. In a transaction that writes, only for rows
 * that nobody else adds to or changes.
 */
export async function readPage<T>(tx: Tx, query: PageQuery): Promise<Page<T>> {
  const { columns, long, alongside, from, params, order, most } = query;
  const sizes = await tx.sql.all<{ bytes: number }>(
    `SELECT ${bytesOf(long, alongside)} AS bytes FROM ${from} ORDER BY ${order} LIMIT ?`,
    [...params, most + 1],
  );
  const count = Math.min(fitting(sizes), most);
  if (count === 0) return { rows: [], more: sizes.length > 0 };
  const rows = await tx.sql.all<T>(`SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ?`, [
    ...params,
    count,
  ]);
  return { rows, more: sizes.length > count };
}

/** How many of the first rows may be read together: those within PAGE_BYTES, and one at least. */
export function fitting(sizes: readonly { readonly bytes: number }[]): number {
  let total = 0;
  for (let i = 0; i < sizes.length; i++) {
    total += Number(sizes[i]!.bytes);
    if (total > PAGE_BYTES) return Math.max(1, i);
  }
  return sizes.length;
}

/** The size of a row as an expression; `octet_length` reads no more of a long value than its header. */
export function bytesOf(long: readonly string[], alongside?: string): string {
  return [
    String(ROW_BYTES),
    ...long.map((column) => `COALESCE(octet_length(${column}), 0)`),
    ...(alongside === undefined ? [] : [alongside]),
  ].join(' + ');
}
