import { EventEmitter } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import { ensurePrivateDir } from '../../../kit/private-file.ts';
import { migrate } from '../migrate.ts';
import { type Store, StoreUnavailable, type Topic, type Tx } from '../store.ts';
import { SqliteConnection, sqliteDialect } from './connection.ts';

/** Most transactions that share one commit. */
const GROUP_SIZE = 64;

/** How often to look whether another process has committed something. */
const FOREIGN_NEWS_MS = 200;

interface Job {
  work: (tx: Tx) => Promise<unknown>;
  durable: boolean;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** Writing transactions run one at a time: each holds every name. */
const lock = async () => {};

type Outcome = { ok: true; value: unknown } | { ok: false; reason: unknown };

/**
 * The embedded store: one SQLite file in WAL mode.
 *
 * Writes wait in a queue, and those that wait together share one commit (group commit): each runs under its own
 * savepoint, so one that fails undoes only itself, and all are answered after the commit is on the disk
 * (`synchronous=FULL`). A group without any durable write commits with `synchronous=NORMAL`, which leaves the file
 * intact under any crash and may forget its last commits only when the power fails.
 */
export class SqliteStore implements Store {
  readonly dialect = sqliteDialect;
  readonly #clock: Clock;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #news = new EventEmitter().setMaxListeners(0);
  #queue: Job[] = [];
  #flushing = false;
  #reading: Promise<unknown> = Promise.resolve();
  #synchronous: 'FULL' | 'NORMAL' | undefined;
  #poll: NodeJS.Timeout | undefined;
  #version = 0;
  #idle: (() => void) | undefined;

  private constructor(path: string, clock: Clock) {
    this.#clock = clock;
    this.#writer = new SqliteConnection(path);
    this.#reader = new SqliteConnection(path);
  }

  /** Opens (and makes, 0600) the file and brings it to this program's schema. */
  static async open(path: string, clock: Clock): Promise<SqliteStore> {
    ensurePrivateDir(dirname(path));
    const fresh = !existsSync(path);
    const store = new SqliteStore(path, clock);
    if (fresh)
      for (const suffix of ['', '-wal', '-shm'])
        if (existsSync(path + suffix)) chmodSync(path + suffix, 0o600);
    try {
      await store.write((tx) => migrate(tx.sql, tx.now));
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  write<T>(work: (tx: Tx) => Promise<T>, { durable = true } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, durable, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#flushing) {
        this.#flushing = true;
        // The next turn of the loop: what arrives in this one joins the group.
        setImmediate(() => void this.#flush());
      }
    });
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const run = async () => {
      this.#reader.exec('BEGIN');
      try {
        return await work({ sql: this.#reader, now: this.#clock.now(), lock, notify: async () => {} });
      } finally {
        this.#reader.exec('ROLLBACK');
      }
    };
    const result = this.#reading.then(run);
    this.#reading = result.catch(() => {});
    return result;
  }

  subscribe(topic: Topic, heard: () => void): () => void {
    this.#news.on(topic, heard);
    this.#watchOtherProcesses();
    return () => {
      this.#news.off(topic, heard);
      if (this.#news.eventNames().length === 0) this.#stopWatching();
    };
  }

  /** Every process of one machine may: they take turns at the file's write lock. */
  async leads(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    this.#stopWatching();
    this.#news.removeAllListeners();
    if (this.#flushing) await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#reading;
    this.#reader.close();
    this.#writer.close();
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, GROUP_SIZE);
      const topics = new Set<Topic>();
      const outcomes: Outcome[] = [];
      try {
        this.#setSynchronous(group.some((job) => job.durable) ? 'FULL' : 'NORMAL');
        this.#writer.exec('BEGIN IMMEDIATE');
        for (const job of group) outcomes.push(await this.#runUnderSavepoint(job, topics));
        this.#writer.exec('COMMIT');
      } catch (error) {
        this.#rollBack();
        for (const job of group) job.reject(error);
        continue;
      }
      group.forEach((job, i) => {
        const outcome = outcomes[i]!;
        if (outcome.ok) job.resolve(outcome.value);
        else job.reject(outcome.reason);
      });
      for (const topic of topics) this.#news.emit(topic);
      // Lets requests that came in meanwhile join the next group.
      if (this.#queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#flushing = false;
    this.#idle?.();
  }

  /** Throws only what spoils the whole group: the store itself failing. */
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

  #rollBack(): void {
    try {
      this.#writer.exec('ROLLBACK');
    } catch {
      // SQLite has undone the transaction itself (a full disk does that).
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
      const version = this.#dataVersion();
      if (version === this.#version) return;
      this.#version = version;
      for (const topic of this.#news.eventNames()) this.#news.emit(topic);
    }, FOREIGN_NEWS_MS).unref();
  }

  #stopWatching(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Changes when another connection commits, not by our own commits. */
  #dataVersion(): number {
    return this.#writer.allSync<{ data_version: number }>('PRAGMA data_version')[0]!.data_version;
  }
}
