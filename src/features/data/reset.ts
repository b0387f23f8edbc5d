import { closeSync, existsSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { databaseError } from '../../cli/connection/database.ts';
import { isLoopback } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { ObservedLimits } from '../../client/observed-limits.ts';
import { shellWord } from '../../kit/shell.ts';
import { LOCAL } from '../../profiles/profiles.ts';
import { readCredentials } from '../../service/store/credentials.ts';
import { hasCredentials, ownerOf, refuseForeign } from '../../service/store/sqlite/ownership.ts';
import { type Destination, forgetImports } from '../import/journal/forget.ts';

/** What belongs to the file itself, by SQLite's names. */
const DATABASE = ['', '-wal', '-shm', '-journal'];
/**
 * What we keep beside it, and how its content is known: any other file may have such a name. The credentials stay:
 * profiles and environments that hold the key work on.
 */
const BESIDE: readonly (readonly [suffix: string, isOurs: (text: string) => boolean])[] = [
  ['.key', (text) => /^[0-9a-f]{64}\n?$/i.test(text)],
  ['.outbox.ndjson', (text) => text === '' || /^\{"at":"[^"]*","notificationId":"/.test(text)],
];
/** What is looked at of a file beside the data, in bytes. */
const LOOK = 4096;

/**
 * Removes the data of a service on this machine, and what `dataDir` knows of it: journals of imports, which would pass
 * over what is gone, and limits. Returns the files of the data and the journals that were removed. Throws locked while
 * another process is at work on it, data where the file is not ours. A damaged one is removed as well, which is known by the
 * credentials beside it: that is what a reset is for.
 */
export function resetData(database: string, dataDir: string): { files: string[]; journals: string[] } {
  refuseNotOurs(database);
  refuseWhileInUse(database);
  const workspace = workspaceOf(database);
  // First: stopped here, a journal too few has events sent again, and one too many would have them passed over.
  const journals = workspace === undefined ? [] : forgetWorkspace(workspace, dataDir);
  const files = filesOfOurs(database);
  for (const file of files) rmSync(file, { force: true });
  return { files, journals };
}

function refuseNotOurs(database: string): void {
  try {
    refuseForeign(database);
  } catch (error) {
    throw databaseError(error, database);
  }
}

/** None where nothing says that what lies at and beside the path is of a database of ours. */
function filesOfOurs(database: string): string[] {
  const known = ownerOf(database) === 'ours' || hasCredentials(database);
  if (!known) return [];
  const itself = DATABASE.map((suffix) => database + suffix).filter((file) => existsSync(file));
  const beside = BESIDE.filter(([suffix, isOurs]) => {
    const text = beginningOf(database + suffix);
    return text !== undefined && isOurs(text);
  });
  return [...itself, ...beside.map(([suffix]) => database + suffix)];
}

/** How a file begins; undefined where it is no file of its own, or cannot be read. */
function beginningOf(file: string): string | undefined {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(LOOK);
    return bytes.toString('utf8', 0, readSync(handle, bytes));
  } finally {
    closeSync(handle);
  }
}

/** A workspace's name is random, so on this machine it tells the data, whichever way an import went into it. */
function forgetWorkspace(workspace: string, dataDir: string): string[] {
  new ObservedLimits(dataDir, { baseUrl: LOCAL, workspace }).forget();
  const here = ({ baseUrl }: Destination) => baseUrl === LOCAL || isLoopback(new URL(baseUrl).hostname);
  return forgetImports(join(dataDir, 'imports'), (to) => to.workspace === workspace && here(to));
}

/** Undefined where there is none yet, or its file is damaged too. */
function workspaceOf(database: string): string | undefined {
  try {
    return readCredentials(`${database}.credentials.json`)?.workspace;
  } catch {
    return undefined;
  }
}

/** In WAL mode a lock of its own is given only to a connection that is alone. */
function refuseWhileInUse(file: string): void {
  if (!existsSync(file)) return;
  let connection: Database.Database | undefined;
  try {
    connection = new Database(file);
    connection.exec('PRAGMA busy_timeout=0');
    connection.exec('PRAGMA locking_mode=EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (/^SQLITE_(BUSY|LOCKED)/.test(code ?? '') || /database is locked/.test(message))
      throw new SvcError('locked', `${file} is in use by another process`, {
        hint: (invocation) =>
          `stop what uses it (fuser -v ${shellWord(file)} shows it), then: ${invocation.again()}`,
        cause: error,
      });
  } finally {
    connection?.close();
  }
}
