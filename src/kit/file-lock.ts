import { dirname } from 'node:path';
import { ensurePrivateDir } from './private-file.ts';

/**
 * Runs `work` while no other process runs work under the same lock file. The lock is SQLite's own on a small database,
 * so the operating system lets go of it when a process dies. Waits up to 10 s for it, with the whole process standing
 * still: so `work` may not await anything, or two of this process would wait for each other.
 */
export async function withFileLock<T>(path: string, work: () => T): Promise<T> {
  const { default: Database } = await import('libsql');
  ensurePrivateDir(dirname(path));
  const database = new Database(path);
  try {
    database.exec('PRAGMA busy_timeout=10000');
    database.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    database.close();
  }
}
