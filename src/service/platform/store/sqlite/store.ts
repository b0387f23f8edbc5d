import { EventEmitter } from 'node:events';
import { dirname } from 'node:path';
import type { Clock } from '../../../../kit/clock.ts';
import { ensurePrivateDir, ensurePrivateFile } from '../../../../kit/files/private-file.ts';
import { type Migrated, migrate } from '../migrate.ts';
import { pipeline } from '../pipeline.ts';
import { MIGRATIONS } from '../schema/index.ts';
import type { Migration } from '../schema/migration.ts';
import {
  type ReadAt,
  type SqlValue,
  type Store,
  StoreUnavailable,
  type Topic,
  type Tx,
  type WriteOptions,
} from '../store.ts';
import { OFFSET } from '../test-clock.ts';
import { ChangeWatch } from './change-watch.ts';
import { SqliteConnection, sqliteDialect } from './connection.ts';
import { GroupWriter } from './group-writer.ts';
import { LogCopier } from './log-copier.ts';
import { refuseLostData } from './lost-data.ts';
import { refuseForeign } from './ownership.ts';
import { scrub } from './scrub.ts';
import { shrink } from './shrink.ts';
import { WriteQueue } from './write-queue.ts';

/** Limits of a group: transactions that share one commit, and the time in ms after which it is committed. */
const GROUP_SIZE = 64;
const GROUP_MS = 15;

interface Job {
  work: (tx: Tx) => Promise<unknown>;
  durable: boolean;
  /** It is the first of its group. */
  first: boolean;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** A no-op: writing transactions run one at a time, so each has exclusive access. */
const lock = async () => {};
const tryLock = async () => true;

/** What a transaction that reads has no use for. */
const readTx = { lock, tryLock, notify: async () => {}, deferUntilCommit: () => {} };

interface Setting {
  readonly value: string;
}

type Outcome = { ok: true; value: unknown } | { ok: false; reason: unknown };

/**
 * The embedded store: one SQLite file in WAL mode.
 *
 * Queued writes share one commit (group commit; write-queue.ts). Each runs under its own savepoint, so a failure rolls back
 * only that write, and all are answered after the commit is on disk (`synchronous=FULL`). A group without a durable write commits
 * with `synchronous=NORMAL`, which keeps the file consistent after any crash, but may lose the last commits in a power
 * failure.
 */
export class SqliteStore implements Store {
  readonly dialect = sqliteDialect;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #writer: GroupWriter;
  readonly #reader: SqliteConnection;
  readonly #copier: LogCopier;
  readonly #notifications = new EventEmitter().setMaxListeners(0);
  readonly #queue = new WriteQueue<Job>(GROUP_SIZE);
  #clockOffset = 0;
  #flushing = false;
  #reading: Promise<unknown> = Promise.resolve();
  readonly #watch: ChangeWatch;
  #onFlushed: (() => void) | undefined;
  /** What waits for the end of a group. */
  readonly #waiting: Array<() => void> = [];

  private constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#writer = new GroupWriter(path);
    this.#reader = new SqliteConnection(path);
    this.#copier = new LogCopier(path, (error) => this.#writer.logFailed(error));
    this.#watch = new ChangeWatch(
      () => (this.#flushing ? undefined : this.#dataVersion()),
      () => {
        for (const topic of this.#notifications.eventNames()) this.#notifications.emit(topic);
      },
    );
  }

  /** Opens the file (created with mode 0600 if missing) and migrates it to this version's schema. */
  static async open(path: string, clock: Clock): Promise<SqliteStore> {
    return (await SqliteStore.openAndMigrate(path, clock)).store;
  }

  /** Like `open`, and also returns the schema versions before and after. */
  static async openAndMigrate(
    path: string,
    clock: Clock,
    migrations: readonly Migration[] = MIGRATIONS,
  ): Promise<{ store: SqliteStore } & Migrated> {
    refuseForeign(path);
    ensurePrivateDir(dirname(path));
    refuseLostData(path);
    ensurePrivateFile(path);
    const store = new SqliteStore(path, clock);
    try {
      const { from, to } = await store.write((tx) => migrate(tx.sql, clock.now(), migrations));
      return { store, from, to };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get clockOffset(): number {
    return this.#clockOffset;
  }

  write<T>(work: (tx: Tx) => Promise<T>, { durable = true, bulk = false }: WriteOptions = {}): Promise<T> {
    return this.#add(work, { durable, bulk, first: false });
  }

  #add<T>(
    work: (tx: Tx) => Promise<T>,
    { bulk, ...how }: Pick<Job, 'durable' | 'first'> & { bulk: boolean },
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.add({ work, ...how, resolve: resolve as (value: unknown) => void, reject }, bulk);
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
        return await work(this.#tx(this.#reader, readTx));
      } finally {
        this.#reader.rollBack();
      }
    };
    const result = this.#reading.then(run);
    this.#reading = result.catch(() => {});
    return result;
  }

  readOne<T extends object>(sql: string, params: readonly SqlValue[]): Promise<ReadAt<T> | undefined> {
    return this.#outside((reader) => {
      const row = reader.first<T & { now: unknown }>(
        `SELECT found.*, (${OFFSET}) AS now FROM (${sql}) AS found`,
        params,
      );
      return row && { ...row, now: this.#now(row.now) };
    });
  }

  subscribe(topic: Topic, listener: () => void): () => void {
    this.#notifications.on(topic, listener);
    this.#watch.start();
    return () => {
      this.#notifications.off(topic, listener);
      if (this.#notifications.eventNames().length === 0) this.#watch.stop();
    };
  }

  /**
   * Overwrites what deleted rows left in the file, in pieces. Then merges the log into the file, where deleted rows
   * themselves are overwritten (`secure_delete`), and empties the log.
   */
  scrub(proceed: () => Promise<boolean>): Promise<boolean> {
    return scrub({
      path: this.#path,
      write: (work, place) =>
        this.#add(({ sql }) => work(sql), { durable: false, bulk: true, first: place === 'first' }),
      logged: () => this.#outside((reader) => reader.copyLog()),
      emptyLog: () =>
        this.#copier.whilePaused(() =>
          this.#outside(() => this.#groupEnded().then(() => this.#writer.connection.emptyLog())),
        ),
      proceed,
    });
  }

  /** Waits until the connection that writes is in no transaction. What follows at once comes before the next one. */
  async #groupEnded(): Promise<void> {
    if (this.#flushing) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Runs work while the connection that reads is in no transaction. */
  #outside<T>(work: (reader: SqliteConnection) => T | Promise<T>): Promise<T> {
    const result = this.#reading.then(() => work(this.#reader));
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

  roles(): readonly string[] {
    return [];
  }

  connections(): Record<string, number> {
    return {};
  }

  async close(): Promise<void> {
    this.#watch.stop();
    this.#notifications.removeAllListeners();
    if (this.#flushing) await new Promise<void>((resolve) => (this.#onFlushed = resolve));
    await this.#reading;
    await this.#copier.close();
    this.#reader.close();
    this.#writer.close();
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#commitGroup();
      if (this.#copier.takeLong()) {
        // The answers of this group go out first.
        await nextIteration();
        this.#writer.copyRest();
      }
      for (const resolve of this.#waiting.splice(0)) resolve();
      // Requests that arrived in the meantime join the next group.
      if (this.#queue.length > 0) await nextIteration();
    }
    this.#flushing = false;
    this.#onFlushed?.();
  }

  /** Runs a group of jobs in one transaction and settles them after the commit. */
  async #commitGroup(): Promise<void> {
    const topics = new Set<Topic>();
    const group: Job[] = [];
    const outcomes: Outcome[] = [];
    const level = this.#queue.some((job) => job.durable) ? 'FULL' : 'NORMAL';
    const next = () =>
      this.#queue.next((job) => (level === 'FULL' || !job.durable) && !(job.first && group.length > 0));
    this.#queue.startGroup();
    try {
      await this.#writer.begin(level);
      const deadline = performance.now() + GROUP_MS;
      let bulk = false;
      for (let entry = next(); entry; entry = next()) {
        group.push(entry.job);
        bulk ||= entry.bulk;
        outcomes.push(await this.#runUnderSavepoint(entry.job, topics));
        if (performance.now() > deadline) break;
        // A bulk job may take long: requests that arrived in the meantime come next.
        if (entry.bulk) await nextIteration();
      }
      await this.#writer.connection.commit({ long: bulk });
    } catch (error) {
      this.#writer.rollBack(error);
      // Where no transaction began, the whole group fails: each would wait as long for the lock.
      if (group.length === 0) for (let entry = next(); entry; entry = next()) group.push(entry.job);
      for (const job of group) job.reject(error);
      return;
    }
    this.#copier.committed();
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
    const sql = this.#writer.connection;
    let unread: Promise<unknown> | undefined;
    const deferUntilCommit = (statements: readonly unknown[]) => {
      unread = pipeline([unread, ...statements]);
      unread.catch(() => {});
    };
    sql.exec('SAVEPOINT job');
    try {
      const value = await job.work(this.#tx(sql, { lock, tryLock, notify, deferUntilCommit }));
      await unread;
      sql.exec('RELEASE job');
      for (const topic of own) topics.add(topic);
      return { ok: true, value };
    } catch (reason) {
      // One that the work has not waited for.
      await sql.settled();
      if (reason instanceof StoreUnavailable) throw reason;
      sql.exec('ROLLBACK TO job');
      sql.exec('RELEASE job');
      return { ok: false, reason };
    }
  }

  /** A transaction on a connection. Its time is read when it is first asked for: most transactions of limits never do. */
  #tx(sql: SqliteConnection, rest: Omit<Tx, 'sql' | 'now'>): Tx {
    let now: number | undefined;
    const read = () => this.#now(sql.firstSync<Setting>(OFFSET)?.value);
    return {
      ...rest,
      sql,
      get now() {
        now ??= read();
        return now;
      },
    };
  }

  #now(offset: unknown): number {
    this.#clockOffset = Number(offset ?? 0);
    return this.#clock.now() + this.#clockOffset;
  }

  /** Changes when another connection commits, not on commits of this one. */
  #dataVersion(): number {
    return this.#writer.connection.pragma<{ data_version: number }>('data_version').data_version;
  }
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));
