import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'libsql';
import { ensurePrivateFile } from '../../kit/files/private-file.ts';
import { fileError } from '../errors/file-error.ts';
import { SvcError } from '../errors/svc-error.ts';

/** The progress is saved at most so often, in ms: a save waits for the disk. */
const SAVE_MS = 1000;
/** Marks the file with the progress. */
const APPLICATION_ID = 0x73766365;

/** How far it is: the bytes of the file, and what its writer needs to go on. */
interface Saved<State> {
  readonly bytes: number;
  readonly state: State;
}

interface Options {
  /** What is written: what is something else does not go on with this file. */
  readonly identity: string;
  /** Begin again, whatever was interrupted. */
  readonly restart: boolean;
  /** The file as the user typed it. */
  readonly name: string;
}

/**
 * A file while it is written, by an export or a download: `FILE.part`, which becomes FILE when it is complete, and
 * `FILE.part.state` with the progress, which one process at a time may use. After a kill at any moment, the next process
 * goes on at what was saved.
 */
export class PartFile<State> {
  readonly #path: string;
  readonly #name: string;
  readonly #progress: Database.Database;
  readonly #file: FileHandle;
  /** Where the export goes on; undefined for a new one. */
  readonly saved: Saved<State> | undefined;
  #bytes: number;
  #savedAt = 0;
  #isClosed = false;

  private constructor(
    path: string,
    name: string,
    progress: Database.Database,
    file: FileHandle,
    saved: Saved<State> | undefined,
  ) {
    this.#path = path;
    this.#name = name;
    this.#progress = progress;
    this.#file = file;
    this.saved = saved;
    this.#bytes = saved?.bytes ?? 0;
  }

  /** Opens or resumes. Throws `locked`, `file` or, if an export of other records was interrupted, `usage`. */
  static async open<State>(path: string, { identity, restart, name }: Options): Promise<PartFile<State>> {
    const progress = lockProgress(`${path}.part.state`, name);
    try {
      const digest = createHash('sha256').update(identity).digest('hex');
      const row = progress.prepare('SELECT identity, bytes, state FROM progress').all()[0] as
        | { identity: string; bytes: number; state: string }
        | undefined;
      if (row && row.identity !== digest && !restart)
        throw new SvcError('usage', `${name}.part is an export of other records that was interrupted`, {
          hint: (invocation) => `to replace it: ${invocation.rerunWith('--restart')}`,
        });
      const resumes = row && !restart && existsSync(`${path}.part`);
      const file = await open(`${path}.part`, resumes ? 'r+' : 'w', 0o600);
      // What was written after the progress was saved is written again. A shorter file lost what a power failure took.
      const whole = resumes && (await file.stat()).size >= row.bytes;
      await file.truncate(whole ? row.bytes : 0);
      const saved = whole ? { bytes: row.bytes, state: JSON.parse(row.state) as State } : undefined;
      if (!saved) {
        progress.exec('DELETE FROM progress');
        progress.prepare("INSERT INTO progress VALUES (1, ?, 0, 'null')").run(digest);
        return new PartFile(path, name, progress, file, undefined);
      }
      return new PartFile(path, name, progress, file, saved.bytes === 0 ? undefined : saved);
    } catch (error) {
      release(progress);
      throw fileError(`${name}.part`, error, 'write');
    }
  }

  /** The length of the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes bytes to the end. Rejects with the error of the system. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#bytes + at);
      at += bytesWritten;
    }
    this.#bytes += bytes.length;
  }

  /** Saves how to go on after the bytes so far, if it is time to: a process that is killed repeats what follows. */
  async save(state: () => State, now: number, always = false): Promise<void> {
    if (!always && now - this.#savedAt < SAVE_MS) return;
    this.#savedAt = now;
    await this.#file.datasync();
    try {
      this.#progress
        .prepare('UPDATE progress SET bytes = ?, state = ?')
        .run(this.#bytes, JSON.stringify(state()));
    } catch (error) {
      throw new SvcError('disk', `${this.#name}.part.state cannot be written: ${(error as Error).message}`, {
        hint: (invocation) => `free some space (df -h), then: ${invocation.rerunWith()}`,
        cause: error,
      });
    }
  }

  /** Makes it the complete file. */
  async complete(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.part`, this.#path);
    await syncFolder(dirname(this.#path));
    await this.#removeProgress();
  }

  /** Begins again. */
  async reset(): Promise<void> {
    await this.#file.truncate(0);
    this.#bytes = 0;
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#file.close();
    await rm(`${this.#path}.part`, { force: true });
    await this.#removeProgress();
  }

  /** Leaves it as it is, for one that goes on. */
  async close(): Promise<void> {
    await this.#file.close().catch(() => {});
    this.#closeProgress();
  }

  async #removeProgress(): Promise<void> {
    this.#closeProgress();
    for (const suffix of ['', '-journal']) await rm(`${this.#path}.part.state${suffix}`, { force: true });
  }

  #closeProgress(): void {
    if (!this.#isClosed) release(this.#progress);
    this.#isClosed = true;
  }
}

/** Makes a rename durable, where the system can sync a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** Opens the file with the progress and locks it until it is closed, or the process ends. Throws `locked` or `file`. */
function lockProgress(path: string, name: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    ensurePrivateFile(path);
    database = new Database(path, { timeout: 1000 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA synchronous = FULL');
    database.exec(`BEGIN EXCLUSIVE; PRAGMA application_id = ${APPLICATION_ID};
      CREATE TABLE IF NOT EXISTS progress (
        one INTEGER PRIMARY KEY CHECK (one = 1), identity TEXT NOT NULL, bytes INTEGER NOT NULL, state TEXT NOT NULL);
      COMMIT`);
    return database;
  } catch (error) {
    database?.close();
    if (/^SQLITE_BUSY/.test(String((error as { code?: unknown }).code)))
      throw new SvcError('locked', `another process writes ${name}`, {
        hint: (invocation) => `wait for it, then: ${invocation.rerunWith()}`,
        cause: error,
      });
    // The driver has no code for a file that it may not open or create.
    const denied = (error as { code?: unknown }).code === '';
    throw fileError(`${name}.part.state`, denied ? { code: 'EACCES' } : error, 'write');
  }
}

/** Gives up the lock at once: closing alone waits until prepared statements are garbage-collected. */
function release(progress: Database.Database): void {
  try {
    progress.exec('PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_master');
  } finally {
    progress.close();
  }
}
