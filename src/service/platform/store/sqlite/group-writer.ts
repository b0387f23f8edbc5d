import { SqliteConnection } from './connection.ts';
import { isBusy, isFailedSync } from './errors.ts';

/** How long a group waits for the write lock of another process, and the interval between attempts. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_RETRY_MS = 10;

/** Pages of the log from which on a commit copies it into the file itself, as far as the LogCopier has not: 16 MB. */
const MAX_LOG_PAGES = 4000;

/** How a commit is put on disk: PRAGMA synchronous. */
type SyncLevel = 'FULL' | 'NORMAL';

/** The connection that writes: it takes the lock of the file, and syncs the log as each group needs. */
export class GroupWriter {
  readonly connection: SqliteConnection;
  #synchronous: SyncLevel | undefined;
  /** True after a failed fsync of the log, until its content is in the database file. */
  #logUnsynced = false;

  constructor(path: string) {
    this.connection = new SqliteConnection(path);
    // A wait inside SQLite would block the event loop; `begin` waits instead.
    this.connection.exec('PRAGMA busy_timeout=0');
    this.connection.exec(`PRAGMA wal_autocheckpoint=${MAX_LOG_PAGES}`);
  }

  /**
   * Begins a transaction with the write lock, without blocking the event loop while another process holds it. Throws
   * StoreUnavailable if it holds it for 10 s.
   */
  async begin(level: SyncLevel): Promise<void> {
    this.#secureLog();
    this.#setSynchronous(level);
    for (let waited = 0; ; waited += LOCK_RETRY_MS) {
      try {
        return this.connection.begin('IMMEDIATE');
      } catch (error) {
        if (!isBusy(error) || waited >= LOCK_TIMEOUT_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
      }
    }
  }

  /** Rolls back the transaction, which ended with `error`. */
  rollBack(error: unknown): void {
    this.connection.rollBack();
    this.logFailed(error);
  }

  /** Takes note of an error that may be a failed fsync of the log. */
  logFailed(error: unknown): void {
    this.#logUnsynced ||= isFailedSync(error);
  }

  /** Copies into the file what was committed to the log while the LogCopier copied. What fails stays in the log. */
  copyRest(): void {
    try {
      this.connection.copyLog();
    } catch (error) {
      this.logFailed(error);
    }
  }

  /** Merges the log into the file, so that the file is complete while no process has it open, and closes it. */
  close(): void {
    try {
      this.connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process has the file open, or the disk is full: the log stays beside the file.
    }
    this.connection.close();
  }

  /**
   * Copies the log into the file after a failed fsync, before anything else is committed. The system may have dropped
   * the unwritten pages and report success at the next fsync of the log.
   */
  #secureLog(): void {
    if (!this.#logUnsynced) return;
    const { log, checkpointed } = this.connection.pragma<{ log: number; checkpointed: number }>(
      'wal_checkpoint(PASSIVE)',
    );
    this.#logUnsynced = log !== checkpointed;
  }

  #setSynchronous(level: SyncLevel): void {
    if (this.#synchronous === level) return;
    // SQLite cannot change the level within a transaction.
    this.connection.exec(`PRAGMA synchronous=${level}`);
    this.#synchronous = level;
  }
}
