import { randomInt } from 'node:crypto';
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { ensurePrivateDir } from '../../../../kit/files/private-file.ts';
import { sqliteFileFault, sqliteHeader } from '../../../../kit/files/sqlite-file.ts';
import { JournalError, toJournalError } from './journal-error.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS import (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, finished INTEGER NOT NULL, options TEXT NOT NULL,
    inputs TEXT NOT NULL, rejects_path TEXT NOT NULL, rejects_length INTEGER NOT NULL, types TEXT NOT NULL,
    contents TEXT);
  CREATE TABLE IF NOT EXISTS batch (
    seq INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, finish INTEGER NOT NULL,
    first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, records INTEGER NOT NULL, digest TEXT NOT NULL,
    state INTEGER NOT NULL, sent_at INTEGER NOT NULL, run TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS run (
    id TEXT PRIMARY KEY, at INTEGER NOT NULL, accepted INTEGER NOT NULL, kept INTEGER NOT NULL, undone INTEGER NOT NULL,
    contents TEXT);
`;
// The known states of a batch.

/** Sent; the outcome is ambiguous. */
export const SENT = 0;
/** Accepted by the service, at least in part. */
export const SETTLED = 1;
/** Nothing was stored: never sent, or refused as a whole. Its checkpoint stays. */
export const WITHDRAWN = 2;
/** All of its records were rejected. */
export const REJECTED = 3;
/** The SQL condition for batches that the service accepted or may have accepted. */
export const TOUCHED = `state IN (${SENT}, ${SETTLED})`;

/** Ends the name of the file beside a journal that names the run of the import that uses it: the journal is locked then. */
const RUNNING = '.run';
export const runningFile = (path: string): string => path + RUNNING;

/** Runs of which a journal keeps what they sent: the latest ones. */
const MAX_RUNS = 100;

/** How long an import waits for the lock, in milliseconds: a command that only reads the journal holds it for a moment. */
const LOCK_WAIT_MS = 2000;

/** Distinguishes a journal from other SQLite files ("svcj"). */
const APPLICATION_ID = 0x7376636a;

/**
 * Opens or creates the file of a journal, locks it and applies the schema. An empty file is new: a process that was killed
 * before its first write leaves one. Throws a JournalError, also if the file is cut short: SQLite would accept it, and
 * records would be sent again.
 */
export function openJournalFile(path: string): Database.Database {
  const damage = sqliteFileFault(path);
  if (damage === 'cut short') throw new JournalError('broken', path, new Error(`the file is ${damage}`));
  refuseForeignFiles(path);
  const until = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      ensurePrivateDir(dirname(path));
      return openOnce(path);
    } catch (error) {
      const failure = toJournalError(path, error);
      const locked = failure instanceof JournalError && failure.reason === 'locked';
      if (!locked || Date.now() >= until) throw failure;
    }
  }
}

/**
 * Two processes that open the file at once each hold what the other waits for. The waits have random lengths, and the one
 * that ends first lets go.
 */
function openOnce(path: string): Database.Database {
  const db = new Database(path, { timeout: randomInt(50, 250) });
  try {
    // The lock is held from the first access until the file is closed. WAL then needs no shared memory file.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    claim(db, path);
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
    addRuns(db);
    db.exec(`DELETE FROM run WHERE id NOT IN (SELECT id FROM run ORDER BY at DESC LIMIT ${MAX_RUNS})`);
    return db;
  } catch (error) {
    releaseJournalFile(db);
    throw error;
  }
}

/** Adds the run of each batch to a journal of a version that knew none: what an import of its identifier sent. */
function addRuns(db: Database.Database): void {
  const columns = db.pragma('table_info(batch)') as { name: string }[];
  if (columns.some(({ name }) => name === 'run')) return;
  db.exec(`BEGIN IMMEDIATE; ALTER TABLE batch ADD COLUMN run TEXT NOT NULL DEFAULT '';
    UPDATE batch SET run = coalesce((SELECT id FROM import), ''); COMMIT`);
}

/** Releases the file at once: closing alone waits until prepared statements are garbage-collected. */
function releaseJournalFile(db: Database.Database): void {
  try {
    if (db.inTransaction) db.exec('ROLLBACK');
    db.exec('PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_master');
  } catch {
    // It could not be read, so that nothing of it is held.
  } finally {
    db.close();
  }
}

/**
 * Removes a journal under its lock, so that no import starts in between; needs no space on the disk. Removes one that is
 * damaged, too. Throws a JournalError: `locked` while an import uses it, others if it cannot be opened now.
 */
export function removeJournalFile(path: string): void {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: LOCK_WAIT_MS });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    const failure = toJournalError(path, error);
    if (!(failure instanceof JournalError) || failure.reason !== 'broken') {
      db?.close();
      throw failure;
    }
  }
  try {
    for (const suffix of ['', '-wal', '-shm', '-journal', RUNNING]) rmSync(path + suffix, { force: true });
  } finally {
    db?.close();
  }
}

/** Refuses dangling links and files of other applications before SQLite opens them, as opening may write. */
function refuseForeignFiles(path: string): void {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link) return;
  const dangling = link.isSymbolicLink() && !existsSync(path);
  const mark = sqliteHeader(path)?.readUInt32BE(68) ?? 0;
  const other = mark !== 0 && mark !== APPLICATION_ID;
  if (dangling || other)
    throw new JournalError(
      'broken',
      path,
      new Error(dangling ? 'a dangling symbolic link' : 'a file of another application'),
    );
}

/** Marks a new file as a journal. Refuses other SQLite files, which `--checkpoint` may name by mistake. */
function claim(db: Database.Database, path: string): void {
  const [mark] = db.pragma('application_id') as { application_id: number }[];
  if (mark?.application_id === APPLICATION_ID) return;
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_master').get() as { tables: number };
  if (tables > 0) throw new JournalError('broken', path, new Error('a database of another application'));
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}
