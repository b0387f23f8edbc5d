import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { SvcError } from '../cli/errors.ts';
import { isLoopback } from '../cli/settings.ts';
import { ObservedLimits } from '../client/observed-limits.ts';
import { type Destination, forgetImports } from '../import/forget.ts';
import { shellWord } from '../kit/shell.ts';
import { LOCAL } from '../profiles/profiles.ts';
import { readCredentials } from '../service/credentials.ts';

/** What is removed, beside the file itself. The credentials stay: profiles and environments that hold the key work on. */
const BESIDE = ['', '-wal', '-shm', '-journal', '.key', '.outbox.ndjson'];

/**
 * Removes the data of a service on this machine, and what `dataDir` knows of it: journals of imports, which would pass
 * over what is gone, and limits. Returns the files of the data and the journals that were removed. Throws locked while
 * another process is at work on it. A damaged file is removed as well: that is what a reset is for.
 */
export function resetData(database: string, dataDir: string): { files: string[]; journals: string[] } {
  refuseWhileInUse(database);
  const workspace = workspaceOf(database);
  // First: stopped here, a journal too few has events sent again, and one too many would have them passed over.
  const journals = workspace === undefined ? [] : forgetWorkspace(workspace, dataDir);
  const files = BESIDE.map((suffix) => database + suffix).filter((file) => existsSync(file));
  for (const file of files) rmSync(file, { force: true });
  return { files, journals };
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
        hint: (typed) => `stop what uses it (fuser -v ${shellWord(file)} shows it), then: ${typed.again()}`,
        cause: error,
      });
  } finally {
    connection?.close();
  }
}
