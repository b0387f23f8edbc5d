import type { Sql } from '../store.ts';

/** Free pages stay for new rows while they are less than one in so many; pages that are given back at once. */
const FREE_SHARE = 10;
const PAGES = 256;

/**
 * Gives a piece of the free pages of a file back to the file system. Returns false if few are left, or if the file was
 * made without auto_vacuum: it keeps them for new rows.
 */
export async function shrink(sql: Sql): Promise<boolean> {
  const read = async (pragma: string) =>
    Number(Object.values((await sql.get<Record<string, number>>(`PRAGMA ${pragma}`))!)[0]);
  const free = await read('freelist_count');
  if (free * FREE_SHARE < (await read('page_count')) || !(await givesSpaceBack(sql))) return false;
  // The pages are given back one by one, as the rows of the result are read.
  await sql.all(`PRAGMA incremental_vacuum(${PAGES})`);
  return free > PAGES;
}

/** True if the file was made with incremental auto_vacuum. */
export async function givesSpaceBack(sql: Sql): Promise<boolean> {
  const row = await sql.get<{ auto_vacuum: number }>('PRAGMA auto_vacuum');
  return row!.auto_vacuum === 2;
}
