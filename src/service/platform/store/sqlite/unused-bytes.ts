import { type Sql, StoreUnusable } from '../store.ts';

/**
 * SQLite overwrites a deleted row (`secure_delete`), but not the copies of rows that it leaves in the middle of a page,
 * between the list of rows and the rows, when it divides rows over other pages. This file overwrites them with zeros.
 * The bytes have no meaning to SQLite, and the pages are written by SQLite itself, as part of a
 * transaction.
 */

/** The first bytes of the pages that hold rows, with the length of their headers. */
const HEADER_BYTES: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 };
/** The header of the file, on the first page. */
const FILE_HEADER = { bytes: 100, reserved: 20, largestRoot: 52 } as const;
/** A page that holds no rows begins with a page number, which looks like the kind of another one from here on. */
const MAX_PAGES = 0x0200_0000;
/** Where SQLite locks bytes instead of storing any. */
const LOCKED_BYTE = 0x4000_0000;

/** As many as the largest page has bytes. */
const ZEROS = new Uint8Array(65_536);

/** How the file is divided. */
interface Layout {
  readonly pageBytes: number;
  /** Distance between pages that list what other pages are for; 0 if the file has none. */
  readonly mapEvery: number;
}

/**
 * Overwrites the unused bytes of pages, in the caller's transaction. Pages that do not exist or hold no rows are left.
 * Throws StoreUnusable for a file of more than 33,554,432 pages (128 GB), in which pages cannot be told from each other.
 */
export async function zeroUnused(sql: Sql, pages: readonly number[]): Promise<void> {
  const layout = await layoutOf(sql);
  const found = await sql.all<{ page: number; data: Uint8Array }>(
    'SELECT p.pgno AS page, p.data FROM json_each(?) n CROSS JOIN sqlite_dbpage p ON p.pgno = n.value',
    [JSON.stringify(pages)],
  );
  for (const { page, data } of found) {
    const unused = isMap(page, layout) ? undefined : unusedOf(page, data);
    if (!unused || Buffer.compare(unused, ZEROS.subarray(0, unused.length)) === 0) continue;
    unused.fill(0);
    await sql.run('UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?', [data, page]);
  }
}

/** The number of pages. Throws StoreUnusable if there are too many. */
export async function pageCount(sql: Sql): Promise<number> {
  const row = await sql.get<{ page_count: number }>('PRAGMA page_count');
  const count = row!.page_count;
  if (count >= MAX_PAGES)
    throw new StoreUnusable(
      `the file has ${count} pages, too many to remove what deleted rows left in it: move the data to PostgreSQL`,
    );
  return count;
}

async function layoutOf(sql: Sql): Promise<Layout> {
  await pageCount(sql);
  const row = await sql.get<{ data: Uint8Array }>('SELECT data FROM sqlite_dbpage WHERE pgno = 1');
  const first = Buffer.from(row!.data);
  const usable = first.length - first[FILE_HEADER.reserved]!;
  const hasMaps = first.readUInt32BE(FILE_HEADER.largestRoot) > 0;
  // An entry of a list has five bytes.
  return { pageBytes: first.length, mapEvery: hasMaps ? Math.floor(usable / 5) + 1 : 0 };
}

/** True for a page that lists what the pages after it are for: it may begin like one that holds rows. */
function isMap(page: number, { pageBytes, mapEvery }: Layout): boolean {
  if (mapEvery === 0 || page < 2) return false;
  const lockedPage = LOCKED_BYTE / pageBytes + 1;
  const map = page - ((page - 2) % mapEvery);
  return page === (map === lockedPage ? map + 1 : map) || page === lockedPage;
}

/** The bytes between the list of rows of a page and its rows; undefined if it holds none. */
function unusedOf(page: number, data: Uint8Array): Uint8Array | undefined {
  const header = page === 1 ? FILE_HEADER.bytes : 0;
  const headerBytes = HEADER_BYTES[data[header]!];
  if (headerBytes === undefined) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const from = header + headerBytes + 2 * view.getUint16(header + 3);
  // 0 stands for 65,536.
  const to = view.getUint16(header + 5) || 65_536;
  return from < to && to <= data.length ? data.subarray(from, to) : undefined;
}
