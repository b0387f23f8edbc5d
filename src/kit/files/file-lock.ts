import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from './private-file.ts';

/** The lock could not be acquired: another process held it for too long, or the file is not a writable lock file. */
export class LockUnusable extends Error {
  readonly path: string;
  readonly held: boolean;
  /** The file does not exist and could not be created. */
  readonly missing: boolean;

  constructor(path: string, held: boolean, cause: unknown) {
    super(held ? `another process holds the lock ${path}` : `${path} cannot be used as a lock file`, {
      cause,
    });
    this.name = 'LockUnusable';
    this.path = path;
    this.held = held;
    this.missing = !existsSync(path);
  }
}

/**
 * Runs `work` under an exclusive lock between processes. The lock is that of SQLite on a small database, so the operating
 * system releases it when a process dies. Blocks the whole process for up to 10 s, then throws LockUnusable. `work` must
 * be synchronous, or two callers in one process would deadlock.
 */
export async function withFileLock<T>(path: string, work: () => T): Promise<T> {
  const { default: Database } = await import('libsql');
  ensurePrivateDir(dirname(path));
  let database: InstanceType<typeof Database> | undefined;
  try {
    database = new Database(path);
    database.exec('PRAGMA busy_timeout=10000');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw new LockUnusable(path, /^SQLITE_BUSY/.test(String((error as { code?: unknown }).code)), error);
  }
  try {
    return work();
  } finally {
    database.close();
  }
}
