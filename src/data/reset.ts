import { existsSync, rmSync } from 'node:fs';
import Database from 'libsql';
import { SvcError } from '../cli/errors.ts';
import { shellWord } from '../kit/shell.ts';

/** What is removed, beside the file itself. The credentials stay: profiles and environments that hold the key work on. */
const BESIDE = ['', '-wal', '-shm', '-journal', '.key', '.outbox.ndjson'];

/**
 * Removes the data of a service on this machine. Returns the files that were removed. Throws locked while another
 * process is at work on it. A damaged file is removed as well: that is what a reset is for.
 */
export function resetData(database: string): string[] {
  refuseWhileInUse(database);
  const files = BESIDE.map((suffix) => database + suffix).filter((file) => existsSync(file));
  for (const file of files) rmSync(file, { force: true });
  return files;
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
