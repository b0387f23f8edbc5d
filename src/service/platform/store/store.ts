import type { Limit } from '../../../kit/concurrency-limiter.ts';
import type { NumberedLog } from './retained-logs.ts';

/**
 * What the service needs from a database. Repositories (repositories/) are written once, in SQL that SQLite and
 * PostgreSQL both accept, on top of the small executor below; each engine supplies the executor.
 */

export type SqlValue = string | number | bigint | null | Uint8Array;

/** The differences in SQL syntax between the two engines. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly blob: string;
  readonly bigint: string;
  /** Appended to the definition of a table that is read by its primary key only. */
  readonly withoutRowid: string;
  /** Appended to a SELECT whose rows the transaction will change. */
  readonly forUpdate: string;
  /**
   * Like `forUpdate`, but skips rows that another transaction has locked. With a LIMIT, select the rows in a materialized
   * query: a plan may run a subquery more than once, which takes other rows each time.
   */
  readonly skipLocked: string;
  /** Appended to a SELECT whose rows must not be deleted before the transaction ends. */
  readonly forKeyShare: string;
  /**
   * True where Citus keeps the rows of a workspace on one of its workers (schema/distribution.ts). A statement
   * that reaches one worker is passed on to it; one that writes two tables, or names the workspace of one table only,
   * may not be.
   */
  readonly distributed: boolean;
}

export interface RunOptions {
  /** It takes milliseconds: SQLite, which is in this process, runs it in a thread of its own. Ignored by PostgreSQL. */
  readonly long?: boolean;
}

/** Runs statements with `?` placeholders inside one transaction. */
export interface Sql {
  readonly dialect: Dialect;
  all<T>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
  get<T>(sql: string, params?: readonly SqlValue[]): Promise<T | undefined>;
  /** Returns the number of rows changed. */
  run(sql: string, params?: readonly SqlValue[], options?: RunOptions): Promise<number>;
  /**
   * Adds rows of a workspace from lines in the text format of COPY (PostgreSQL manual), at a third of the cost of
   * parameters. Only PostgreSQL has it.
   */
  load?(table: string, columns: readonly string[], workspaceId: string, lines: string): Promise<void>;
}

export interface Tx {
  readonly sql: Sql;
  /**
   * The service's time, Unix ms: that of the machine, or of the database where several machines share it, and the offset
   * of a test clock.
   */
  readonly now: number;
  /** Acquires a named exclusive lock on the database and holds it until the transaction ends. */
  lock(name: string): Promise<void>;
  /** Like `lock`, but resolves to false at once if another transaction holds the lock. */
  tryLock(name: string): Promise<boolean>;
  /** Notifies every process on this database of a topic, after this transaction commits. */
  notify(topic: Topic): Promise<void>;
  /**
   * Hands over the last statements of a transaction, of which only the failure matters. PostgreSQL gets them and the commit
   * in one round trip, so that all have been issued before `work` resolves. The transaction is rolled back and rejects if
   * one of them fails.
   */
  deferUntilCommit(statements: readonly unknown[]): void;
}

/** The subjects of notifications between processes and workers. */
export const TOPICS = ['events', 'notifications', 'deliveries', 'outcomes', 'settings', 'erasures'] as const;
export type Topic = (typeof TOPICS)[number];

/**
 * A limit on the concurrent writes of this process that lock the same row. The others wait before they take a
 * connection, so that one locked row cannot use up the connection pool.
 */
export type ConcurrencyKey = Limit;

export interface WriteOptions {
  readonly durable?: boolean;
  /**
   * PostgreSQL gets the begin of the transaction and its first statements in one round trip: `tx.now` throws before one of
   * them is answered. The first statements may be repeated on another connection, and must do no harm if they are stored
   * without the others.
   */
  readonly pipelinedBegin?: boolean;
  /** Work that may wait: on SQLite, other writes pass it (sqlite/write-queue.ts). Ignored by PostgreSQL. */
  readonly bulk?: boolean;
  /** Ignored by SQLite, which runs one transaction at a time. */
  readonly concurrencyKeys?: readonly ConcurrencyKey[];
}

/** A row, and the time of the database when it was read, Unix ms. */
export type ReadAt<T> = T & { readonly now: number };

/** The logs of a database server, which keeps them in partitions by time. */
export interface Partitions {
  /**
   * Makes the partitions of the coming time and drops those from before the kept time, in ms. A log is divided into
   * partitions when it has one. Resolves to what stands in the way and is tried again at the next call.
   */
  keep(log: NumberedLog, keptMs: number | null): Promise<string | undefined>;
  /** The tables of a log whose old rows are removed one by one: those that hold more than a period. */
  byRow(tx: Tx, log: NumberedLog, keptMs: number): Promise<string[]>;
}

/** The workers of a distributed database, each of which has the rows of some workspaces. */
export interface Workers {
  /** True while the worker of a workspace does not answer, as far as is known: no statement can reach its rows. */
  isUnreachable(workspaceId: string): boolean;
  /** The number of workspaces that are out, and while there are any, that of all. */
  out(): { readonly out: number; readonly of: number };
}

export interface Store {
  readonly dialect: Dialect;
  /** The offset of the test clock of the store as this process last saw it, in ms; 0 without one (test-clock.ts). */
  readonly clockOffset: number;
  /** Undefined unless the database is distributed. */
  readonly workers?: Workers | undefined;
  /** Undefined for SQLite. */
  readonly partitions?: Partitions;
  /**
   * Runs `work` in one transaction and resolves once it is durable on disk (and on the synchronous standby, if
   * PostgreSQL has one). If it rejects, the transaction was rolled back, except with StoreUnavailable, where the commit
   * may have succeeded: retry with an idempotency key.
   * `work` may await only calls on `tx`: SQLite runs queued transactions as one group, and PostgreSQL retries `work`
   * after a deadlock or a serialization failure.
   * A write with `durable: false` may be lost in a power failure, but not in a crash of the process.
   * `concurrencyKeys` are the limits to acquire before taking a connection.
   * Rejects with StoreUnavailable if nothing could be stored.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Runs `work` on a consistent snapshot. Writes in it are rejected or discarded. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Reads the first row of one SELECT, in one round trip. */
  readOne<T extends object>(sql: string, params: readonly SqlValue[]): Promise<ReadAt<T> | undefined>;
  /**
   * Calls `listener` when any process notifies of a topic, and sometimes without cause. Returns the function that
   * unsubscribes.
   */
  subscribe(topic: Topic, listener: () => void): () => void;
  /**
   * Removes what rows that were deleted before left in the files of the database, as far as the service can, in pieces.
   * Before each it awaits `proceed`, and ends if that resolves to false. Resolves to false if it did not end, as while
   * another process reads: try again. PostgreSQL removes it with VACUUM.
   */
  scrub(proceed: () => Promise<boolean>): Promise<boolean>;
  /**
   * Gives a piece of the space that removed rows left back to the file system. Resolves to false if little is left, or if
   * the store does not give space back: PostgreSQL does it with VACUUM.
   */
  shrink(): Promise<boolean>;
  /** True while this process is the leader for a role, such as learning. Leadership may change: ask each time. */
  leads(role: string): Promise<boolean>;
  /** The roles that this process alone leads; empty for SQLite, where every process may. */
  roles(): readonly string[];
  /** Connections to a database server by state; empty for SQLite. */
  connections(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** The database cannot store at the moment (disk full, lock timeout, connection lost). Answered with 503. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
  }
}

/** The data violates a constraint of the database. */
export class ConstraintViolation extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ConstraintViolation';
  }
}

/** The database cannot be opened (damaged, foreign, written by a newer version). The message says what to do. */
export class StoreUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnusable';
  }
}

/** The database belongs to another program and is left unchanged. */
export class StoreForeign extends StoreUnusable {
  constructor(message: string) {
    super(message);
    this.name = 'StoreForeign';
  }
}

/** The database file cannot be opened, for example because it is a folder or its folder is not writable. */
export class StoreNotOpened extends StoreUnusable {
  readonly path: string;
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be opened: check that it is a file and that you may read and write it`, cause);
    this.name = 'StoreNotOpened';
    this.path = path;
  }
}
