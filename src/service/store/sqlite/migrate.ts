import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import type { Clock } from '../../../kit/clock.ts';
import { migrate } from '../migrate.ts';
import { StoreUnusable } from '../store.ts';
import { SqliteConnection } from './connection.ts';

/** The first version whose programs can share a file with a migration that moves rows. */
const SHARED_FROM = 8;

/** How long to wait for other processes that have the file open, and the interval between attempts, in ms. */
const TIMEOUT_MS = 5_000;
const RETRY_MS = 50;

/**
 * Migrates a file of an older version while no other process has it open: a program of that version would write what
 * its successors do not understand. Returns the version before, or undefined if there was nothing to do.
 */
export async function migrateOlder(path: string, clock: Clock): Promise<number | undefined> {
  for (let waited = 0; ; waited += RETRY_MS) {
    const age = ageOf(path);
    if (age === 'current') return undefined;
    if (age === 'older' && isUnused(path)) return migrateAlone(path, clock);
    if (waited >= TIMEOUT_MS)
      throw new StoreUnusable(
        `${path} has the data of an older version, and another process has it open: stop that process, then run \`svc serve migrate\``,
      );
    await sleep(RETRY_MS);
  }
}

async function migrateAlone(path: string, clock: Clock): Promise<number> {
  const connection = new SqliteConnection(path, 'alone');
  try {
    connection.begin('IMMEDIATE');
    const { from } = await migrate(connection, clock.now());
    connection.exec('COMMIT');
    return from;
  } finally {
    connection.rollBack();
    connection.share();
    connection.close();
  }
}

/**
 * Whether a file has a schema before SHARED_FROM. Prepares no statement: the driver keeps a connection open until its
 * statements are collected, and that connection would stand in the way of `isUnused`.
 */
function ageOf(path: string): 'older' | 'current' | 'locked' {
  // `json` fails if the row exists.
  const sql = `SELECT json('older') FROM schema_migration WHERE
    (SELECT max(id) FROM schema_migration) < ${SHARED_FROM} LIMIT 1`;
  const code = codeOf(path, ['PRAGMA busy_timeout=0', sql]);
  if (code === undefined) return 'current';
  if (isLocked(code.code)) return 'locked';
  return /malformed JSON/.test(code.message) ? 'older' : 'current';
}

/** In WAL mode, SQLite grants an exclusive lock only if no other connection is open. */
function isUnused(path: string): boolean {
  const statements = ['PRAGMA busy_timeout=0', 'PRAGMA locking_mode=EXCLUSIVE', 'BEGIN EXCLUSIVE', 'COMMIT'];
  return codeOf(path, statements) === undefined;
}

const isLocked = (code: string) => /^SQLITE_(BUSY|LOCKED)/.test(code);

/** Runs statements on a connection of their own. Returns the error of the first that fails. */
function codeOf(path: string, statements: readonly string[]): { code: string; message: string } | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path);
    for (const statement of statements) database.exec(statement);
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { code: String(code), message };
  } finally {
    database?.close();
  }
}
