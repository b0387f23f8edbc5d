import Database from 'libsql';
import AsyncDatabase from 'libsql/promise';
import { type Dialect, type RunOptions, type Sql, type SqlValue, StoreUnavailable } from '../store.ts';
import { toStoreError } from './errors.ts';
import { APPLICATION_ID } from './ownership.ts';

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  blob: 'BLOB',
  bigint: 'INTEGER',
  withoutRowid: ' WITHOUT ROWID',
  forUpdate: '',
  skipLocked: '',
  forKeyShare: '',
  distributed: false,
};

/** How long a statement waits for a lock of another process. The wait blocks the whole process. */
const BUSY_TIMEOUT_MS = 10_000;
/** PRAGMA auto_vacuum of a file that gives back pages in pieces. */
const INCREMENTAL = 2;
/** Pause between attempts of statements for which SQLite does not wait. */
const BUSY_PAUSE_MS = 5;
/** Size to which the log is truncated after a long-running reader let it grow. */
const LOG_BYTES = 64 * 1024 * 1024;

/** A statement that the driver runs in a thread of its own. */
export interface AsyncStatement {
  all(params: readonly SqlValue[]): Promise<unknown[]>;
}

/** A statement whose first row is read, and the names of its columns. */
interface FirstRow {
  readonly statement: Database.Statement;
  readonly columns: readonly string[];
}

/**
 * One SQLite connection. Prepares each statement once and throws the errors of the store. Parameters are passed as one array:
 * the driver takes a single one that is bytes for named ones, and aborts.
 */
export class SqliteConnection implements Sql {
  readonly dialect = sqliteDialect;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #firsts = new Map<string, FirstRow>();
  readonly #asyncStatements = new Map<string, AsyncStatement>();
  /** The statement that runs in another thread; undefined while none does. Others of the transaction wait for it. */
  #aside: Promise<void> | undefined;
  readonly #path: string;
  /** The error that ended the current transaction. */
  #failure: unknown;

  /** `alone`: no other connection can use the file until `share` is called. */
  constructor(path: string, sharing: 'shared' | 'alone' = 'shared') {
    this.#path = path;
    try {
      this.#database = new Database(path);
      this.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
      if (sharing === 'alone') this.exec('PRAGMA locking_mode=EXCLUSIVE');
      this.#setAutoVacuum();
      this.#setApplicationId();
      this.#execWhenUnlocked('PRAGMA journal_mode=WAL');
      this.exec('PRAGMA foreign_keys=ON');
      // What is deleted is overwritten, so that an erasure leaves nothing in the file.
      this.exec('PRAGMA secure_delete=ON');
      // macOS only: without it, a sync leaves data in the cache of the drive.
      this.exec('PRAGMA fullfsync=ON');
      this.exec('PRAGMA checkpoint_fullfsync=ON');
      this.exec(`PRAGMA journal_size_limit=${LOG_BYTES}`);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /** Lets other connections use the file again, after `alone`. */
  share(): void {
    // SQLite cannot leave this mode in WAL mode; the next connection enters that again.
    this.exec('PRAGMA journal_mode=DELETE');
    this.exec('PRAGMA locking_mode=NORMAL');
    // The lock is released by the next read.
    this.exec('SELECT 1 FROM sqlite_master LIMIT 1');
  }

  /**
   * For new files: what is removed later can be given back in pieces. SQLite ignores it for others, but for one that has it
   * waits to write, which would block the event loop.
   */
  #setAutoVacuum(): void {
    const [row] = this.#database.pragma('auto_vacuum') as { auto_vacuum: number }[];
    if (row?.auto_vacuum !== INCREMENTAL) this.exec(`PRAGMA auto_vacuum=${INCREMENTAL}`);
  }

  /** Sets the application id before anything else is written, so that the header identifies the file. */
  #setApplicationId(): void {
    const [row] = this.#database.pragma('application_id') as { application_id: number }[];
    if (row?.application_id !== APPLICATION_ID)
      this.#execWhenUnlocked(`PRAGMA application_id=${APPLICATION_ID}`);
  }

  /**
   * Runs a statement and retries while the database is locked. SQLite ignores the busy timeout when a lock has to be
   * upgraded (sqlite.org/c3ref/busy_handler.html), as when two processes create a database at the same time.
   */
  #execWhenUnlocked(sql: string): void {
    for (const deadline = performance.now() + BUSY_TIMEOUT_MS; ; ) {
      try {
        this.#database.exec(sql);
        return;
      } catch (error) {
        const busy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
        if (!busy || performance.now() >= deadline) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
      }
    }
  }

  /** Runs a statement without parameters or result; for transaction control, schema and pragmas. */
  exec(sql: string): void {
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /** Begins a transaction. Rolls back the previous one if it is still open. */
  begin(kind: 'DEFERRED' | 'IMMEDIATE'): void {
    if (this.#database.inTransaction) this.rollBack();
    this.#failure = undefined;
    this.exec(`BEGIN ${kind}`);
  }

  /** Commits the transaction; `long` as for `run`. */
  async commit({ long = false }: RunOptions = {}): Promise<void> {
    if (long) await this.#runAside('COMMIT', []);
    else this.exec('COMMIT');
  }

  /** Waits for the statement that runs in another thread. */
  async settled(): Promise<void> {
    while (this.#aside) await this.#aside;
  }

  /** Rolls back the transaction. Does nothing if SQLite has already done so, as after a full disk. */
  rollBack(): void {
    try {
      if (this.#database.inTransaction) this.exec('ROLLBACK');
    } catch {
      // The next `begin` tries again.
    }
  }

  allSync<T>(sql: string, params: readonly SqlValue[] = []): T[] {
    this.#checkFailure();
    try {
      return (this.#prepare(sql).all(params) as Record<string, unknown>[]).map(withBytes) as T[];
    } catch (error) {
      throw this.#rememberFailure(this.#translate(error));
    }
  }

  /** Runs a statement and returns its first row. */
  firstSync<T>(sql: string, params: readonly SqlValue[] = []): T | undefined {
    this.#checkFailure();
    try {
      return this.#first<T>(sql, params);
    } catch (error) {
      throw this.#rememberFailure(this.#translate(error));
    }
  }

  /** Reads the first row of a statement, outside a transaction. */
  first<T extends object>(sql: string, params: readonly SqlValue[]): T | undefined {
    // One that could not be rolled back would show the past.
    if (this.#database.inTransaction) this.rollBack();
    try {
      return this.#first<T>(sql, params);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /** The driver needs two thirds of the time for one row without the names of its columns. */
  #first<T>(sql: string, params: readonly SqlValue[]): T | undefined {
    let first = this.#firsts.get(sql);
    if (!first) {
      const statement = this.#database.prepare(sql).raw();
      first = { statement, columns: statement.columns().map(({ name }) => name) };
      this.#firsts.set(sql, first);
    }
    const values = first.statement.get(params) as unknown[] | undefined;
    if (!values) return undefined;
    const row: Record<string, unknown> = {};
    for (const [i, name] of first.columns.entries()) row[name] = values[i];
    return withBytes(row) as T;
  }

  /** Reads the single row of a pragma, outside a transaction. */
  pragma<T>(name: string): T {
    try {
      return this.#prepare(`PRAGMA ${name}`).all()[0] as T;
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /**
   * Copies what it may of the log into the file, outside a transaction. Returns the number of pages that were committed to the
   * log since it began.
   */
  copyLog(): number {
    // Less than 0 while another connection copies.
    return Math.max(this.pragma<{ log: number }>('wal_checkpoint(PASSIVE)').log, 0);
  }

  /** Copies the log into the file and truncates it. Returns false at once if another connection is using the log. */
  emptyLog(): boolean {
    this.exec('PRAGMA busy_timeout=0');
    try {
      return this.pragma<{ busy: number }>('wal_checkpoint(TRUNCATE)').busy === 0;
    } catch (error) {
      if (error instanceof StoreUnavailable) return false;
      throw error;
    } finally {
      this.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    }
  }

  async all<T>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    if (this.#aside) await this.settled();
    return this.allSync<T>(sql, params);
  }

  async get<T>(sql: string, params: readonly SqlValue[] = []): Promise<T | undefined> {
    if (this.#aside) await this.settled();
    return this.firstSync<T>(sql, params);
  }

  async run(
    sql: string,
    params: readonly SqlValue[] = [],
    { long = false }: RunOptions = {},
  ): Promise<number> {
    if (this.#aside) await this.settled();
    this.#checkFailure();
    if (long) return this.#runAside(sql, params);
    try {
      return this.#prepare(sql).run(params).changes;
    } catch (error) {
      throw this.#rememberFailure(this.#translate(error));
    }
  }

  /** Runs a statement without rows in another thread, so that the event loop goes on. No other may run meanwhile. */
  #runAside(sql: string, params: readonly SqlValue[]): Promise<number> {
    const running = (async () => {
      try {
        await (await this.#prepareAsync(sql)).all(params);
        return this.#first<{ changed: number }>('SELECT changes() AS changed', [])!.changed;
      } catch (error) {
        throw this.#rememberFailure(this.#translate(error));
      } finally {
        this.#aside = undefined;
      }
    })();
    this.#aside = running.then(
      () => {},
      () => {},
    );
    return running;
  }

  async #prepareAsync(sql: string): Promise<AsyncStatement> {
    let statement = this.#asyncStatements.get(sql);
    if (!statement) {
      // The driver has two interfaces to one kind of connection.
      const database: AsyncDatabase = Object.create(AsyncDatabase.prototype, {
        db: { value: (this.#database as unknown as { readonly db: unknown }).db },
      });
      statement = (await database.prepare(sql)) as AsyncStatement;
      this.#asyncStatements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#firsts.clear();
    this.#asyncStatements.clear();
    this.#database.close();
  }

  /**
   * Rejects further statements until the next `begin`. After some failures SQLite has ended the transaction, and the
   * next statement would be committed separately.
   */
  #rememberFailure(error: unknown): unknown {
    if (error instanceof StoreUnavailable) this.#failure = error;
    return error;
  }

  #checkFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #translate(error: unknown): unknown {
    return toStoreError(error, this.#path);
  }
}

/** Converts the ArrayBuffers that the driver returns for blobs to Uint8Array. */
function withBytes(row: Record<string, unknown>): Record<string, unknown> {
  for (const column in row) {
    const value = row[column];
    if (value instanceof ArrayBuffer) row[column] = new Uint8Array(value);
  }
  return row;
}
