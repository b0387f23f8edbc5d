import Database from 'libsql';
import {
  ConstraintViolation,
  type Dialect,
  type Sql,
  type SqlValue,
  StoreNotOpened,
  StoreUnavailable,
  StoreUnusable,
} from '../store.ts';
import { APPLICATION_ID } from './ownership.ts';

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  blob: 'BLOB',
  bigint: 'INTEGER',
  forUpdate: '',
  skipLocked: '',
  forKeyShare: '',
};

/** How long a statement waits for another process that holds a lock, the whole process with it. */
const BUSY_TIMEOUT_MS = 10_000;
/** Between two tries of what SQLite itself does not wait for. */
const BUSY_PAUSE_MS = 5;
/** A log that grew beyond this, behind a reader that took long, is cut back once it is free. */
const LOG_BYTES = 64 * 1024 * 1024;

/** One SQLite connection: statements prepared once, errors in the store's words. */
export class SqliteConnection implements Sql {
  readonly dialect = sqliteDialect;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #path: string;
  /** Why the transaction under way is lost. */
  #spoiled: unknown;

  constructor(path: string) {
    this.#path = path;
    try {
      this.#database = new Database(path);
      this.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
      this.#mark();
      this.#whenFree('PRAGMA journal_mode=WAL');
      this.exec('PRAGMA foreign_keys=ON');
      this.exec(`PRAGMA journal_size_limit=${LOG_BYTES}`);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /** Before anything else is written, so that a file of ours is known by its first bytes. */
  #mark(): void {
    const [row] = this.#database.pragma('application_id') as { application_id: number }[];
    if (row?.application_id !== APPLICATION_ID) this.#whenFree(`PRAGMA application_id=${APPLICATION_ID}`);
  }

  /**
   * Two processes that make one database at once meet here: SQLite does not wait for the busy timeout where a lock
   * would have to be raised (sqlite.org/c3ref/busy_handler.html), so the wait is ours.
   */
  #whenFree(sql: string): void {
    for (const until = performance.now() + BUSY_TIMEOUT_MS; ; ) {
      try {
        this.#database.exec(sql);
        return;
      } catch (error) {
        const busy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
        if (!busy || performance.now() >= until) throw error;
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

  /** Begins a transaction, whatever became of the one before. */
  begin(kind: 'DEFERRED' | 'IMMEDIATE'): void {
    if (this.#database.inTransaction) this.rollBack();
    this.#spoiled = undefined;
    this.exec(`BEGIN ${kind}`);
  }

  /** Ends a transaction without a trace; does nothing where SQLite has undone it itself (a full disk does that). */
  rollBack(): void {
    try {
      if (this.#database.inTransaction) this.exec('ROLLBACK');
    } catch {
      // Tried again by the next `begin`.
    }
  }

  allSync<T>(sql: string, params: readonly SqlValue[] = []): T[] {
    this.#checkSpoiled();
    try {
      return (this.#prepare(sql).all(...params) as Record<string, unknown>[]).map(withBytes) as T[];
    } catch (error) {
      throw this.#noted(this.#translate(error));
    }
  }

  /** Asks for the one row of a pragma, outside of any transaction. */
  pragma<T>(name: string): T {
    try {
      return this.#prepare(`PRAGMA ${name}`).all()[0] as T;
    } catch (error) {
      throw this.#translate(error);
    }
  }

  async all<T>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    return this.allSync<T>(sql, params);
  }

  async get<T>(sql: string, params: readonly SqlValue[] = []): Promise<T | undefined> {
    return this.allSync<T>(sql, params)[0];
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    this.#checkSpoiled();
    try {
      return this.#prepare(sql).run(...params).changes;
    } catch (error) {
      throw this.#noted(this.#translate(error));
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /**
   * After some failures SQLite has ended the transaction, and the next statement would be committed on its own: there
   * must be none until the next `begin`.
   */
  #noted(error: unknown): unknown {
    if (error instanceof StoreUnavailable) this.#spoiled = error;
    return error;
  }

  #checkSpoiled(): void {
    if (this.#spoiled) throw this.#spoiled;
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
    const { code, message } = error as { code?: unknown; message: string };
    if (code === '') return this.#translateOpening(message, error);
    if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error;
    if (code.startsWith('SQLITE_CONSTRAINT')) return new ConstraintViolation(message, error);
    if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
      return new StoreUnusable(
        `${this.#path} is damaged or is no SQLite file (${message}): restore a backup, or name another file`,
        error,
      );
    }
    if (/^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(code)) {
      return new StoreUnavailable(`${this.#path}: ${message}`, error);
    }
    return error;
  }

  /** libsql reports a file that it cannot open without a code, SQLite's number at the end of the text. */
  #translateOpening(message: string, error: unknown): unknown {
    if (!/^ConnectionFailed/.test(message)) return error;
    return new StoreNotOpened(this.#path, error);
  }
}

/** The driver hands blobs over as ArrayBuffer; the store's word for them is Uint8Array. */
function withBytes(row: Record<string, unknown>): Record<string, unknown> {
  for (const column in row) {
    const value = row[column];
    if (value instanceof ArrayBuffer) row[column] = new Uint8Array(value);
  }
  return row;
}
