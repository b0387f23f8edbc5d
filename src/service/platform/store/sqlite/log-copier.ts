import Database from 'libsql/promise';
import type { AsyncStatement } from './connection.ts';

/** Time between a commit and the copy of the log, in ms: long enough that pages that are written often are copied once. */
const DELAY_MS = 300;

/** Pages of a log that is to begin again: 4 MB. A shorter one may grow, and begins again where no commit came while it was copied. */
const LONG_PAGES = 1000;

/**
 * Copies the log into the file (a checkpoint) shortly after commits, in a thread of its own, so that no commit waits for it.
 * SQLite itself would copy in the commit by which the log has 1,000 pages, in the thread of all requests. Under a steady load
 * the log begins again only if the writer copies the little that was committed meanwhile, which takes it milliseconds.
 */
export class LogCopier {
  readonly #path: string;
  readonly #failed: (error: unknown) => void;
  #connection: Database | undefined;
  #copyLog: AsyncStatement | undefined;
  #timer: NodeJS.Timeout | undefined;
  #copying: Promise<void> | undefined;
  #paused = 0;
  #isLong = false;

  /** `failed` gets the error of a copy, as the driver throws it. */
  constructor(path: string, failed: (error: unknown) => void) {
    this.#path = path;
    this.#failed = failed;
  }

  /** Takes note of a commit. */
  committed(): void {
    if (this.#timer || this.#copying || this.#paused > 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#copying = this.#copy().finally(() => {
        this.#copying = undefined;
      });
    }, DELAY_MS);
    this.#timer.unref();
  }

  /** True once after each copy of a long log: what was committed meanwhile is not copied. */
  takeLong(): boolean {
    const isLong = this.#isLong;
    this.#isLong = false;
    return isLong;
  }

  /** Runs work while nothing is copied. */
  async whilePaused<T>(work: () => T | Promise<T>): Promise<T> {
    this.#paused++;
    try {
      await this.#end();
      return await work();
    } finally {
      this.#paused--;
    }
  }

  async close(): Promise<void> {
    this.#paused++;
    await this.#end();
    this.#connection?.close();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#copying;
  }

  /** What is not copied, as with a full disk, stays in the log, from which the writer copies it (MAX_LOG_PAGES). */
  async #copy(): Promise<void> {
    try {
      if (!this.#connection) {
        this.#connection = new Database(this.#path, {});
        // As the other connections (connection.ts).
        await this.#connection.exec('PRAGMA checkpoint_fullfsync=ON');
        this.#copyLog = (await this.#connection.prepare('PRAGMA wal_checkpoint(PASSIVE)')) as AsyncStatement;
      }
      const [{ log }] = (await this.#copyLog!.all([])) as [{ log: number }];
      this.#isLong = log >= LONG_PAGES;
    } catch (error) {
      this.#failed(error);
      this.#connection?.close();
      this.#connection = undefined;
    }
  }
}
