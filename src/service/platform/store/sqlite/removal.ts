import { closeSync, existsSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import Database from 'libsql';
import { readCredentials } from '../credentials.ts';
import { hasCredentials, ownerOf, refuseForeign } from './ownership.ts';

/** The database is open in another process. Nothing was changed. */
class StoreInUse extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} is in use by another process`, { cause });
    this.name = 'StoreInUse';
  }
}

/** A database that is ready to be removed. */
export interface RemovableDatabase {
  /** Undefined if the database was never started, or its credentials file is damaged. */
  readonly workspace: string | undefined;
  /** Removes the database's files, and returns their paths. The credentials file stays. */
  remove(): string[];
}

/** Suffixes of the files that SQLite itself manages. */
const SQLITE_FILES = ['', '-wal', '-shm', '-journal'];
/**
 * Files that the service keeps beside the database, each with a test of its first bytes, because any program may use
 * such a name. The credentials file is not listed: profiles that hold the key must continue to work.
 */
const SERVICE_FILES: readonly (readonly [suffix: string, isOurs: (text: string) => boolean])[] = [
  ['.key', (text) => /^[0-9a-f]{64}\n?$/i.test(text)],
  ['.outbox.ndjson', (text) => text === '' || /^\{"at":"[^"]*","notificationId":"/.test(text)],
];
const BYTES_TESTED = 4096;

/**
 * Checks that an SQLite database belongs to svc and is not in use. A damaged one is accepted if the credentials of the
 * service lie beside it. Throws StoreForeign, StoreInUse.
 */
export function checkRemovable(path: string): RemovableDatabase {
  refuseForeign(path);
  refuseInUse(path);
  return { workspace: workspaceOf(path), remove: () => remove(path) };
}

function remove(path: string): string[] {
  const files = filesToRemove(path);
  for (const file of files) rmSync(file, { force: true });
  return files;
}

function filesToRemove(path: string): string[] {
  if (ownerOf(path) !== 'ours' && !hasCredentials(path)) return [];
  const ofSqlite = SQLITE_FILES.map((suffix) => path + suffix).filter((file) => existsSync(file));
  const ofService = SERVICE_FILES.filter(([suffix, isOurs]) => {
    const text = firstBytes(path + suffix);
    return text !== undefined && isOurs(text);
  });
  return [...ofSqlite, ...ofService.map(([suffix]) => path + suffix)];
}

/** Undefined if the path is not a regular file. */
function firstBytes(file: string): string | undefined {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(BYTES_TESTED);
    return bytes.toString('utf8', 0, readSync(handle, bytes));
  } finally {
    closeSync(handle);
  }
}

function workspaceOf(path: string): string | undefined {
  try {
    return readCredentials(`${path}.credentials.json`)?.workspace;
  } catch {
    return undefined;
  }
}

/** In WAL mode, SQLite grants an exclusive lock only if no other connection is open. */
function refuseInUse(path: string): void {
  if (!existsSync(path)) return;
  let connection: Database.Database | undefined;
  try {
    connection = new Database(path);
    connection.exec('PRAGMA busy_timeout=0');
    connection.exec('PRAGMA locking_mode=EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (/^SQLITE_(BUSY|LOCKED)/.test(code ?? '') || /database is locked/.test(message))
      throw new StoreInUse(path, error);
  } finally {
    connection?.close();
  }
}
