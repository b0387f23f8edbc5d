import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from './private-file.ts';

/** The lock file cannot be used: held for too long, or not a lock file of ours that this user may write. */
export class LockUnusable extends Error {
  readonly path: string;
  readonly held: boolean;
  /** Nothing is there, and nothing can be created there. */
  readonly missing: boolean;

  constructor(path: string, held: boolean, cause: unknown) {
    super(held ? `another process is at work under ${path}` : `${path} cannot be used as a lock file`, {
      cause,
    });
    this.name = 'LockUnusable';
    this.path = path;
    this.held = held;
    this.missing = !existsSync(path);
  }
}

/**
 * Runs `work` while no other process runs work under the same lock file. The lock is SQLite's own on a small database,
 * so the operating system lets go of it when a process dies. Waits up to 10 s for it, then throws LockUnusable, with the
 * whole process standing still: so `work` may not await anything, or two of this process would wait for each other.
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
