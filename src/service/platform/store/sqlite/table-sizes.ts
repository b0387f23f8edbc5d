import type { Sql } from '../store.ts';

/** Pages of the largest file that is measured: 4 GB. It takes a tenth of a second, in which nothing else is answered. */
const MOST_PAGES = 1_000_000;
/** Bytes of an entry of a pointer map: the type of a page, and its parent (SQLite, file format, 1.8). */
const ENTRY = 5;
const ROOT = 1;
const FREE = 2;
/** The byte at which SQLite locks a file; its page has nothing. */
const PENDING_BYTE = 0x40000000;
/** Where the header of the file has the bytes at the end of each page that are not used. */
const RESERVED_AT = 20;

/**
 * The bytes that each table takes with its indexes, those of free pages under ''. Pointer maps, which files with auto_vacuum
 * have, name the parent of each page: one page in 800 is read, where dbstat reads all. Undefined without them, and for a
 * file of more than 4 GB.
 */
export async function tableSizes(sql: Sql): Promise<Map<string, number> | undefined> {
  const pragma = async (name: string) =>
    Number(Object.values((await sql.get<Record<string, number>>(`PRAGMA ${name}`))!)[0]);
  const pages = await pragma('page_count');
  if ((await pragma('auto_vacuum')) === 0 || pages > MOST_PAGES) return undefined;
  const size = await pragma('page_size');
  const page = async (number: number) =>
    (await sql.get<{ data: Uint8Array }>('SELECT data FROM sqlite_dbpage WHERE pgno = ?', [number]))!.data;
  const usable = size - (await page(1))[RESERVED_AT]!;
  const tables = await sql.all<{ root: number; name: string }>(
    'SELECT rootpage AS root, tbl_name AS name FROM sqlite_master WHERE rootpage > 0',
  );
  const parents = new Uint32Array(pages + 1);
  /** The root of each page; 0 where it is not known yet, or where it has none. */
  const roots = new Uint32Array(pages + 1);
  const bytes = new Map<string, number>();
  const pending = Math.floor(PENDING_BYTE / size) + 1;
  const perMap = Math.floor(usable / ENTRY);
  for (let first = 2; first <= pages; first += perMap + 1) {
    const at = first === pending ? first + 1 : first;
    if (at > pages) break;
    const map = await page(at);
    const view = new DataView(map.buffer, map.byteOffset, map.byteLength);
    for (let i = 0; i < perMap && at + 1 + i <= pages; i++) {
      const number = at + 1 + i;
      const type = view.getUint8(i * ENTRY);
      if (type === ROOT) roots[number] = number;
      else if (type === FREE) bytes.set('', (bytes.get('') ?? 0) + size);
      else parents[number] = view.getUint32(i * ENTRY + 1);
    }
  }
  const named = new Map(tables.map(({ root, name }) => [root, name]));
  const way: number[] = [];
  for (let number = 2; number <= pages; number++) {
    let above = number;
    for (; roots[above] === 0 && parents[above] !== 0; above = parents[above]!) way.push(above);
    const root = roots[above]!;
    for (const each of way) roots[each] = root;
    way.length = 0;
    const name = named.get(root);
    if (name !== undefined) bytes.set(name, (bytes.get(name) ?? 0) + size);
  }
  return bytes;
}
