import { EventEmitter } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import { ensurePrivateDir } from '../../../kit/private-file.ts';
import { migrate } from '../migrate.ts';
import { type Store, StoreUnavailable, type Topic, type Tx } from '../store.ts';
import { SqliteConnection, sqliteDialect } from './connection.ts';
import { refuseLostData } from './lost-data.ts';
import { migrateOlder } from './migrate.ts';
import { movePiece, nextPiece } from './move.ts';
import { refuseForeign } from './ownership.ts';
import { shrink } from './shrink.ts';

/** Limits of a group: transactions that share one commit, and the time in ms for which they block the event loop. */
const GROUP_SIZE = 64;
const GROUP_MS = 15;

/** How long a group waits for the write lock of another process, and the interval between attempts. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_RETRY_MS = 10;

/** Interval of the check for commits by other processes. */
const DATA_VERSION_POLL_MS = 200;

interface Job {
  work: (tx: Tx) => Promise<unknown>;
  durable: boolean;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** A no-op: writing transactions run one at a time, so each has exclusive access. */
const lock = async () => {};

type Outcome = { ok: true; value: unknown } | { ok: false; reason: unknown };

/**
 * The embedded store: one SQLite file in WAL mode.
 *
 * Queued writes share one commit (group commit). Each runs under its own savepoint, so a failure rolls back only that
 * write, and all are answered after the commit is on disk (`synchronous=FULL`). A group without a durable write commits
 * with `synchronous=NORMAL`, which keeps the file consistent after any crash, but may lose the last commits in a power
 * failure.
 */
export class SqliteStore implements Store {
  readonly dialect = sqliteDialect;
  readonly #clock: Clock;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #notifications = new EventEmitter().setMaxListeners(0);
  #queue: Job[] = [];
  #flushing = false;
  #reading: Promise<unknown> = Promise.resolve();
  #synchronous: 'FULL' | 'NORMAL' | undefined;
  #poll: NodeJS.Timeout | undefined;
  #version = 0;
  /** True after a failed fsync of the log, until its content is in the database file. */
  #logUnsynced = false;
  #onFlushed: (() => void) | undefined;

  private constructor(path: string, clock: Clock) {
    this.#clock = clock;
    this.#writer = new SqliteConnection(path);
    // A wait inside SQLite would block the event loop; #begin waits instead.
    this.#writer.exec('PRAGMA busy_timeout=0');
    this.#reader = new SqliteConnection(path);
  }

  /** Opens the file (created with mode 0600 if missing) and migrates it to this version's schema. */
  static async open(path: string, clock: Clock): Promise<SqliteStore> {
    return (await SqliteStore.openAndMigrate(path, clock)).store;
  }

  /** Like `open`, and also returns the schema versions before and after. */
  static async openAndMigrate(
    path: string,
    clock: Clock,
  ): Promise<{ store: SqliteStore; from: number; to: number }> {
    refuseForeign(path);
    ensurePrivateDir(dirname(path));
    refuseLostData(path);
    makePrivate(path);
    const older = await migrateOlder(path, clock);
    const store = new SqliteStore(path, clock);
    try {
      const { from, to } = await store.write((tx) => migrate(tx.sql, tx.now));
      await store.#moveRows();
      return { store, from: older ?? from, to };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  write<T>(work: (tx: Tx) => Promise<T>, { durable = true } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, durable, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#flushing) {
        this.#flushing = true;
        // Deferred, so that writes of the same event-loop iteration join the group.
        setImmediate(() => void this.#flush());
      }
    });
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const run = async () => {
      this.#reader.begin('DEFERRED');
      try {
        return await work({ sql: this.#reader, now: this.#clock.now(), lock, notify: async () => {} });
      } finally {
        this.#reader.rollBack();
      }
    };
    const result = this.#reading.then(run);
    this.#reading = result.catch(() => {});
    return result;
  }

  subscribe(topic: Topic, listener: () => void): () => void {
    this.#notifications.on(topic, listener);
    this.#watchOtherProcesses();
    return () => {
      this.#notifications.off(topic, listener);
      if (this.#notifications.eventNames().length === 0) this.#stopWatching();
    };
  }

  /** Merges the log into the file, where deleted bytes are overwritten (`secure_delete`), and empties the log. */
  scrub(): Promise<boolean> {
    const result = this.#reading.then(() => !this.#flushing && this.#writer.emptyLog());
    this.#reading = result.catch(() => {});
    return result;
  }

  shrink(): Promise<boolean> {
    return this.write(({ sql }) => shrink(sql), { durable: false });
  }

  /** Every process on the machine may lead: the write lock of the file serializes them. */
  async leads(): Promise<boolean> {
    return true;
  }

  connections(): Record<string, number> {
    return {};
  }

  async close(): Promise<void> {
    this.#stopWatching();
    this.#notifications.removeAllListeners();
    if (this.#flushing) await new Promise<void>((resolve) => (this.#onFlushed = resolve));
    await this.#reading;
    this.#reader.close();
    this.#mergeLog();
    this.#writer.close();
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#commitGroup(this.#queue.splice(0, GROUP_SIZE));
      // Requests that arrived in the meantime join the next group.
      if (this.#queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#flushing = false;
    this.#onFlushed?.();
  }

  /** Completes a migration that replaced tables, in pieces, each on disk before the next. */
  async #moveRows(): Promise<void> {
    for (let rows = nextPiece(undefined, 0), left = true; left; ) {
      const started = performance.now();
      left = await this.write((tx) => movePiece(tx.sql, rows));
      rows = nextPiece(rows, performance.now() - started);
    }
  }

  /** Runs jobs in one transaction and settles them after the commit. Jobs beyond GROUP_MS return to the queue. */
  async #commitGroup(group: Job[]): Promise<void> {
    const topics = new Set<Topic>();
    const outcomes: Outcome[] = [];
    try {
      this.#secureLog();
      this.#setSynchronous(group.some((job) => job.durable) ? 'FULL' : 'NORMAL');
      await this.#begin();
      const deadline = performance.now() + GROUP_MS;
      for (const job of group) {
        outcomes.push(await this.#runUnderSavepoint(job, topics));
        if (performance.now() > deadline) break;
      }
      this.#queue.unshift(...group.splice(outcomes.length));
      this.#writer.exec('COMMIT');
    } catch (error) {
      this.#writer.rollBack();
      this.#logUnsynced ||= isFailedSync(error);
      for (const job of group) job.reject(error);
      return;
    }
    group.forEach((job, i) => {
      const outcome = outcomes[i]!;
      if (outcome.ok) job.resolve(outcome.value);
      else job.reject(outcome.reason);
    });
    for (const topic of topics) this.#notifications.emit(topic);
  }

  /** Rejects only with an error that fails the whole group: the store is unavailable. */
  async #runUnderSavepoint(job: Job, topics: Set<Topic>): Promise<Outcome> {
    const own = new Set<Topic>();
    const notify = async (topic: Topic) => void own.add(topic);
    this.#writer.exec('SAVEPOINT job');
    try {
      const value = await job.work({ sql: this.#writer, now: this.#clock.now(), lock, notify });
      this.#writer.exec('RELEASE job');
      for (const topic of own) topics.add(topic);
      return { ok: true, value };
    } catch (reason) {
      if (reason instanceof StoreUnavailable) throw reason;
      this.#writer.exec('ROLLBACK TO job');
      this.#writer.exec('RELEASE job');
      return { ok: false, reason };
    }
  }

  /** Acquires the write lock, without blocking the event loop while another process holds it. */
  async #begin(): Promise<void> {
    for (let waited = 0; ; waited += LOCK_RETRY_MS) {
      try {
        return this.#writer.begin('IMMEDIATE');
      } catch (error) {
        if (!isBusy(error) || waited >= LOCK_TIMEOUT_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
      }
    }
  }

  /**
   * Copies the log into the file after a failed fsync, before anything else is committed. The system may have dropped
   * the unwritten pages and report success at the next fsync of the log.
   */
  #secureLog(): void {
    if (!this.#logUnsynced) return;
    const { log, checkpointed } = this.#writer.pragma<{ log: number; checkpointed: number }>(
      'wal_checkpoint(PASSIVE)',
    );
    this.#logUnsynced = log !== checkpointed;
  }

  /** Merges the log into the file, so that the file is complete while no process has it open. */
  #mergeLog(): void {
    try {
      this.#writer.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process has the file open, or the disk is full: the log stays beside the file.
    }
  }

  #setSynchronous(level: 'FULL' | 'NORMAL'): void {
    if (this.#synchronous === level) return;
    this.#writer.exec(`PRAGMA synchronous=${level}`);
    this.#synchronous = level;
  }

  #watchOtherProcesses(): void {
    if (this.#poll) return;
    this.#version = this.#dataVersion();
    this.#poll = setInterval(() => {
      if (this.#flushing) return;
      let version: number;
      try {
        version = this.#dataVersion();
      } catch {
        // The disk fails: the next check tries again.
        return;
      }
      if (version === this.#version) return;
      this.#version = version;
      for (const topic of this.#notifications.eventNames()) this.#notifications.emit(topic);
    }, DATA_VERSION_POLL_MS).unref();
  }

  #stopWatching(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Changes when another connection commits, not on commits of this one. */
  #dataVersion(): number {
    return this.#writer.pragma<{ data_version: number }>('data_version').data_version;
  }
}

/** Creates a missing file that only its owner can read. SQLite gives the log the same mode. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // SQLite reports any other problem when it opens the file.
    if (!['EEXIST', 'EISDIR', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code!))
      throw error;
  }
}

const isBusy = (error: unknown) => error instanceof StoreUnavailable && /^SQLITE_BUSY/.test(codeOf(error));
const isFailedSync = (error: unknown) => error instanceof StoreUnavailable && /FSYNC/.test(codeOf(error));
const codeOf = (error: StoreUnavailable) => String((error.cause as { code?: unknown } | undefined)?.code);
