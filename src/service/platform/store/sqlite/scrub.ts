import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import type { Sql } from '../store.ts';
import { pageCount, zeroUnused } from './unused-bytes.ts';
import { type LogPosition, saltOf, writtenPages } from './written-pages.ts';

/** Pages that one transaction looks at. */
const PIECE = 256;
/** Rounds after which writers are too fast for this one, which tries again later. */
const MAX_ROUNDS = 100;

/** What the scrubber needs of the store. */
export interface Scrubbed {
  readonly path: string;
  /** Runs work in one transaction, which other writes pass. `first`: nothing was written in the transaction before. */
  write<T>(work: (sql: Sql) => Promise<T>, place?: 'first'): Promise<T>;
  /** The number of pages that were committed to the log since it began, or less. */
  logged(): Promise<number>;
  /** Merges the log into the file and empties it. Resolves to false at once while another process uses it. */
  emptyLog(): Promise<boolean>;
  /** Waits until the next piece may start. Resolves to false if none may. */
  proceed(): Promise<boolean>;
}

/** Attempts to empty the log, and the pause between them, in ms. */
const ATTEMPTS = 200;
const PAUSE_MS = 20;

/**
 * Removes what rows that were deleted before left in the file and in its log. Resolves to false if it was not done, as
 * while another process reads for long.
 */
export async function scrub(store: Scrubbed): Promise<boolean> {
  if (!(await zeroUnusedEverywhere(store))) return false;
  for (let left = ATTEMPTS; left > 0; left--) {
    if (!(await store.proceed())) return false;
    if (await store.emptyLog()) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

/**
 * Overwrites what deleted rows left in unused parts of the pages of a file, in pieces between other writes, by any
 * process. Afterwards nothing is left of the rows that were deleted before it was called, but for the log. Resolves to
 * false if it was not done.
 *
 * SQLite may give a page with such bytes another number while it is looked for, from one that has yet to be read to one
 * that has been. Such a page is written then, so the log has its number. Hence a second pass over the file keeps the log
 * from beginning again, and is followed by rounds over the pages that were written meanwhile, the last of which
 * leaves no time for others to write. The first pass, which writes most, needs no such log.
 */
async function zeroUnusedEverywhere(store: Scrubbed): Promise<boolean> {
  if (!(await pass(store))) return false;
  const reader = new Database(store.path);
  try {
    // Without a prepared statement, which would keep the connection open after it is closed.
    reader.exec('BEGIN');
    reader.exec('SELECT 1 FROM sqlite_master LIMIT 1');
    return (await pass(store)) && (await followLog(store));
  } finally {
    reader.close();
  }
}

/** Looks at every page of the file once. */
async function pass({ write, proceed }: Scrubbed): Promise<boolean> {
  for (let first = 1, count = 1; first <= count; first += PIECE) {
    if (!(await proceed())) return false;
    count = await write(async (sql) => {
      await zeroUnused(
        sql,
        Array.from({ length: PIECE }, (_, i) => first + i),
      );
      return pageCount(sql);
    });
  }
  return true;
}

/** Looks at the pages that were written since the log began, and at those written meanwhile, until there are none. */
async function followLog({ path, write, logged, proceed }: Scrubbed): Promise<boolean> {
  const log = `${path}-wal`;
  let since: LogPosition = { salt: '', frames: 0 };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The salt is read first: if the log begins again in between, the position is not used.
    const next = { salt: saltOf(log), frames: await logged() };
    const written = [...writtenPages(log, since)];
    for (let done = 0; done < written.length; done += PIECE) {
      if (!(await proceed())) return false;
      await write((sql) => zeroUnused(sql, written.slice(done, done + PIECE)));
    }
    since = next;
    // While this transaction has the write lock, nothing is added to the log. What it wrote itself is not in it yet.
    const ended = await write(async (sql) => {
      const last = [...writtenPages(log, since)];
      if (last.length > PIECE) return false;
      await zeroUnused(sql, last);
      return true;
    }, 'first');
    if (ended) return true;
  }
  return false;
}
