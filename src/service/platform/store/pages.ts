import type { SqlValue, Tx } from './store.ts';

/** Maximum size of a page in bytes. A larger row forms a page alone. */
export const PAGE_BYTES = 256 * 1024;

/** Estimated size of a row without its long columns. */
const ROW_BYTES = 128;

/** A paged query. It runs twice: for the sizes of the rows, and for the rows that fit. */
export interface PageQuery {
  readonly columns: string;
  /** Columns whose values may be long. */
  readonly long: readonly string[];
  /** SQL expression for the bytes of related rows that are read along with a row. */
  readonly alongside?: string;
  /** The FROM and WHERE clauses, without the word FROM. */
  readonly from: string;
  readonly params: readonly SqlValue[];
  readonly order: string;
  readonly limit: number;
}

/** Joins the conditions whose values are given, for the end of a WHERE clause, with their values in order. */
export function conditionsOf(
  all: readonly (readonly [text: string, ...values: (SqlValue | undefined)[]])[],
): { readonly text: string; readonly params: SqlValue[] } {
  const given = all.filter((each): each is [string, ...SqlValue[]] => !each.includes(undefined));
  return {
    text: given.map(([text]) => ` AND ${text}`).join(''),
    params: given.flatMap(([, ...values]) => values),
  };
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** True if more rows follow. */
  readonly more: boolean;
}

/**
 * Reads up to `limit` rows and PAGE_BYTES, but at least one row. The database sums up the lengths without reading the
 * long values. In a writing transaction, use it only for rows that no other transaction adds or changes.
 */
export async function readPage<T>(tx: Tx, query: PageQuery): Promise<Page<T>> {
  const { columns, long, alongside, from, params, order, limit } = query;
  const sizes = await tx.sql.all<{ bytes: number }>(
    `SELECT ${bytesOf(long, alongside)} AS bytes FROM ${from} ORDER BY ${order} LIMIT ?`,
    [...params, limit + 1],
  );
  const count = Math.min(fitting(sizes), limit);
  if (count === 0) return { rows: [], more: sizes.length > 0 };
  const rows = await tx.sql.all<T>(`SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ?`, [
    ...params,
    count,
  ]);
  return { rows, more: sizes.length > count };
}

/** The number of leading rows that fit into so many bytes, at least one. */
export function fitting(sizes: readonly { readonly bytes: number }[], most = PAGE_BYTES): number {
  let total = 0;
  for (let i = 0; i < sizes.length; i++) {
    total += sizes[i]!.bytes;
    if (total > most) return Math.max(1, i);
  }
  return sizes.length;
}

/** SQL expression for the size of a row. `octet_length` reads only the header of a long value. */
export function bytesOf(long: readonly string[], alongside?: string): string {
  return [
    String(ROW_BYTES),
    ...long.map((column) => `COALESCE(octet_length(${column}), 0)`),
    ...(alongside === undefined ? [] : [alongside]),
  ].join(' + ');
}

/**
 * How many rows of a query form a page of at most so many bytes, at least one if there is any, and whether more may follow.
 * The database adds their sizes up: one value costs a fraction of the size of each row in the drivers. So the page may be
 * smaller than what would fit, by at most about a half.
 */
export async function countFitting(
  tx: Tx,
  { long, from, params, order, limit }: Omit<PageQuery, 'columns' | 'alongside'>,
  most: number,
): Promise<{ count: number; more: boolean }> {
  for (let sought = limit; ; ) {
    const all = await tx.sql.get<{ n: number; bytes: number | null }>(
      `SELECT count(*) AS n, sum(bytes) AS bytes
       FROM (SELECT ${bytesOf(long)} AS bytes FROM ${from} ORDER BY ${order} LIMIT ?) AS records`,
      [...params, sought],
    );
    const n = Number(all!.n);
    const bytes = Number(all!.bytes ?? 0);
    if (bytes <= most || n <= 1) return { count: n, more: n === sought };
    // By their mean size a little less than fits. Not less than half: one large row says nothing about the others.
    sought = Math.max(1, Math.floor(n * Math.max(0.5, Math.min(0.95, (0.95 * most) / bytes))));
  }
}
