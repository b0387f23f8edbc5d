import { existsSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { ensurePrivateDir } from '../../../kit/private-file.ts';
import { sqliteFileFault, sqliteHeader } from '../../../kit/sqlite-file.ts';
import { JournalError, toJournalError } from './journal-error.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS import (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, finished INTEGER NOT NULL, options TEXT NOT NULL,
    inputs TEXT NOT NULL, rejects_path TEXT NOT NULL, rejects_length INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS batch (
    seq INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, finish INTEGER NOT NULL,
    first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, records INTEGER NOT NULL, digest TEXT NOT NULL,
    state INTEGER NOT NULL, sent_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS content (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, inputs TEXT NOT NULL);
`;
/** What became of a batch, as far as is known. */
export const SENT = 0;
export const SETTLED = 1;
/** Surely not carried out: never sent, or refused as a whole. Its checkpoint stays. */
export const WITHDRAWN = 2;
/** Has its end, and the service took nothing of it: all of it was rejected. */
export const REJECTED = 3;
/** Of a batch that was taken by the service or may have been. */
export const TOUCHED = `state IN (${SENT}, ${SETTLED})`;

/** Tells a journal from any other SQLite file ("svcj"). */
const APPLICATION_ID = 0x7376636a;

/**
 * Opens or makes the file of a journal, takes its lock and brings it to its schema. Throws a JournalError, also for one
 * that lost its end or all it held: SQLite would go on with it, and what was sent would be sent again. `discard`: what
 * it held is not needed.
 */
export function openJournalFile(path: string, discard: boolean): Database.Database {
  const lost = sqliteFileFault(path);
  if (lost === 'cut short' || (lost === 'empty' && !discard))
    throw new JournalError('broken', path, new Error(`the file is ${lost}`));
  refuseOthers(path);
  try {
    ensurePrivateDir(dirname(path));
    const db = new Database(path, { timeout: 0 });
    // The lock is held from the first access to the end; with it, WAL needs no shared memory file.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    claim(db, path);
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
    return db;
  } catch (error) {
    throw toJournalError(path, error);
  }
}

/** An import that somebody may go on with; its options where they can be read now (see `optionsText`). */
export interface Unfinished {
  readonly options: string | undefined;
}

/**
 * The import of this journal where it is under way in another process, or has begun to send and not finished. A
 * journal that is missing or damaged can be resumed by nobody.
 */
export function unfinishedIn(path: string): Unfinished | undefined {
  if (!existsSync(path)) return undefined;
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: 0 });
    const sql = `SELECT options FROM import WHERE finished = 0 AND EXISTS (SELECT 1 FROM batch WHERE ${TOUCHED})`;
    return db.prepare(sql).get() as Unfinished | undefined;
  } catch (error) {
    const trouble = toJournalError(path, error);
    const inUse = trouble instanceof JournalError && trouble.reason !== 'broken';
    return inUse ? { options: undefined } : undefined;
  } finally {
    db?.close();
  }
}

/** Before SQLite opens it, which may write to it: a link that leads nowhere, and what is surely of something else. */
function refuseOthers(path: string): void {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link) return;
  const nowhere = link.isSymbolicLink() && !existsSync(path);
  const mark = sqliteHeader(path)?.readUInt32BE(68) ?? 0;
  const other = mark !== 0 && mark !== APPLICATION_ID;
  if (nowhere || other)
    throw new JournalError(
      'broken',
      path,
      new Error(nowhere ? 'a link to nothing' : 'a file of something else'),
    );
}

/** Marks a new file as a journal. Some other SQLite file, which `--checkpoint` may name by mistake, is left alone. */
function claim(db: Database.Database, path: string): void {
  const [mark] = db.pragma('application_id') as { application_id: number }[];
  if (mark?.application_id === APPLICATION_ID) return;
  const { tables } = db
    .prepare(
      "SELECT coalesce(group_concat(name), '') AS tables FROM (SELECT name FROM sqlite_master ORDER BY name)",
    )
    .get() as { tables: string };
  // The first journals bore no mark.
  if (tables !== '' && tables !== 'batch,import') {
    db.close();
    throw new JournalError('broken', path, new Error('a database of something else'));
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}
