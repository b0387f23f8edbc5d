/**
 * What the service needs of a database. Repositories (the files beside this one) are written once, in SQL that
 * SQLite and PostgreSQL both understand, over the small executor below; an engine supplies the executor.
 */

export type SqlValue = string | number | bigint | null | Uint8Array;

/** The places where the two engines spell a thing differently. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Column definition of a primary key that counts up and never reuses a number. */
  readonly serial: string;
  readonly blob: string;
  readonly bigint: string;
  /** Appended to a SELECT whose rows the transaction will change. */
  readonly forUpdate: string;
  /** The same, passing over rows that another node holds. */
  readonly skipLocked: string;
  /** Appended to a SELECT whose rows must still be there when the transaction ends. */
  readonly forKeyShare: string;
}

/** Runs statements with `?` placeholders inside one transaction. */
export interface Sql {
  readonly dialect: Dialect;
  all<T>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
  get<T>(sql: string, params?: readonly SqlValue[]): Promise<T | undefined>;
  /** Returns the number of rows changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
}

export interface Tx {
  readonly sql: Sql;
  /** Unix milliseconds: the database's time where several machines share it. */
  readonly now: number;
  /** Waits for its turn to hold a name until the end of the transaction: one holder at a time on the database. */
  lock(name: string): Promise<void>;
  /** Once this transaction is committed, tells every process on this database that a topic has news. */
  notify(topic: Topic): Promise<void>;
}

/** What one part of the service tells the others about through the store. */
export type Topic = 'events' | 'notifications' | 'deliveries' | 'outcomes' | 'settings';

/**
 * A name under which at most `width` writes (one unless given) of this process run at a time. Where many requests want
 * one row, the others wait here and not with a connection each, so that a locked row does not stop everything else.
 */
export interface Turn {
  readonly name: string;
  readonly width?: number;
}

export interface WriteOptions {
  readonly durable?: boolean;
  /** Ignored by SQLite, which runs one transaction at a time. */
  readonly turns?: readonly Turn[];
}

export interface Store {
  readonly dialect: Dialect;
  /**
   * Runs `work` in one transaction and resolves once it is on the disk (and on the standby that PostgreSQL waits for).
   * A rejection undoes it, but for StoreUnavailable, which may hide a commit: repeat it under an idempotency key.
   * Nothing but calls of `tx` may be awaited inside: SQLite runs waiting transactions as one group, and PostgreSQL
   * runs `work` again after a deadlock or a serialisation failure.
   * `durable: false` may be forgotten by a power failure (never by a crash of the process).
   * `turns` name what the work will lock: it waits for them before it takes a connection.
   * Rejects with StoreUnavailable when nothing could be stored.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Runs `work` on a consistent snapshot; what it writes is refused or lost. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Calls `heard` on news of a topic, also news from other processes (then perhaps without cause). */
  subscribe(topic: Topic, heard: () => void): () => void;
  /** True while this process is the one to do a job that needs doing once (learning, tidying up). Ask each time. */
  leads(role: string): Promise<boolean>;
  /** Connections to a database server by state; empty where there is none. */
  connections(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** The database cannot store right now (full disk, lock held too long, connection lost): answered as 503. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
  }
}

/** The database refused the data itself (a constraint). */
export class ConstraintViolation extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ConstraintViolation';
  }
}

/** The data cannot be opened: damaged, not ours, written by a newer program. Says what to do. */
export class StoreUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnusable';
  }
}

/** What is there belongs to another program: it is left as it is. */
export class StoreForeign extends StoreUnusable {
  constructor(message: string) {
    super(message);
    this.name = 'StoreForeign';
  }
}

/** The file of the data cannot be opened: a folder is in its place, or its folder may not be written to. */
export class StoreNotOpened extends StoreUnusable {
  readonly path: string;
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be opened: is it a folder, or a file of another user?`, cause);
    this.name = 'StoreNotOpened';
    this.path = path;
  }
}
