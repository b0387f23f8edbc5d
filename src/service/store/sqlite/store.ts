import { EventEmitter } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import { ensurePrivateDir } from '../../../kit/private-file.ts';
import { migrate } from '../migrate.ts';
import { type Store, StoreUnavailable, type Topic, type Tx } from '../store.ts';
import { SqliteConnection, sqliteDialect } from './connection.ts';
import { refuseLostData } from './lost-data.ts';
import { refuseForeign } from './ownership.ts';

/** Most transactions that share one commit, and how long they may hold up everything else, in ms. */
const GROUP_SIZE = 64;
const GROUP_MS = 15;

/** How long a group waits for another process that holds the write lock, and between two looks at it. */
const LOCK_WAIT_MS = 10_000;
const LOCK_LOOK_MS = 10;

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
  #insecure = false;
  #idle: (() => void) | undefined;

  private constructor(path: string, clock: Clock) {
    this.#clock = clock;
    this.#writer = new SqliteConnection(path);
    // A wait inside SQLite stops the whole process: see #begin.
    this.#writer.exec('PRAGMA busy_timeout=0');
    this.#reader = new SqliteConnection(path);
  }

  /** Opens (and makes, 0600) the file and brings it to this program's schema. */
  static async open(path: string, clock: Clock): Promise<SqliteStore> {
    return (await SqliteStore.openAndMigrate(path, clock)).store;
  }

  /** The same, and tells the schema versions before and after. */
  static async openAndMigrate(
    path: string,
    clock: Clock,
  ): Promise<{ store: SqliteStore; from: number; to: number }> {
    refuseForeign(path);
    ensurePrivateDir(dirname(path));
    refuseLostData(path);
    makePrivate(path);
    const store = new SqliteStore(path, clock);
    try {
      const versions = await store.write((tx) => migrate(tx.sql, tx.now));
      return { store, ...versions };
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
        // The next turn of the loop: what arrives in this one joins the group.
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

  connections(): Record<string, number> {
    return {};
  }

  async close(): Promise<void> {
    this.#stopWatching();
    this.#news.removeAllListeners();
    if (this.#flushing) await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#reading;
    this.#reader.close();
    this.#gather();
    this.#writer.close();
  }

  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, GROUP_SIZE);
      const topics = new Set<Topic>();
      const outcomes: Outcome[] = [];
      try {
        this.#secure();
        this.#setSynchronous(group.some((job) => job.durable) ? 'FULL' : 'NORMAL');
        await this.#begin();
        const until = performance.now() + GROUP_MS;
        for (const job of group) {
          outcomes.push(await this.#runUnderSavepoint(job, topics));
          if (performance.now() > until) break;
        }
        // What was heavy goes out, and the rest goes first in the next group.
        this.#queue.unshift(...group.splice(outcomes.length));
        this.#writer.exec('COMMIT');
      } catch (error) {
        this.#writer.rollBack();
        this.#insecure ||= isFailedSync(error);
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

  /** Takes the write lock; while another process has it, this one goes on with everything else. */
  async #begin(): Promise<void> {
    for (let waited = 0; ; waited += LOCK_LOOK_MS) {
      try {
        return this.#writer.begin('IMMEDIATE');
      } catch (error) {
        if (!isBusy(error) || waited >= LOCK_WAIT_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, LOCK_LOOK_MS));
      }
    }
  }

  /**
   * After an fsync that failed the system may have dropped what it could not write, and say nothing at the next: what
   * was committed before is copied from the log into the file, and synced there, before anything more is promised.
   */
  #secure(): void {
    if (!this.#insecure) return;
    const { log, checkpointed } = this.#writer.pragma<{ log: number; checkpointed: number }>(
      'wal_checkpoint(PASSIVE)',
    );
    this.#insecure = log !== checkpointed;
  }

  /** Brings the log into the file, so that the file alone is the data while no process is at work on it. */
  #gather(): void {
    try {
      this.#writer.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process is at work, or the disk is full: the log stays beside the file.
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
        // The disk fails: nothing that could be told now, and no reason to end the process.
        return;
      }
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
    return this.#writer.pragma<{ data_version: number }>('data_version').data_version;
  }
}

/** Makes a missing file, so that nobody else can ever read it; SQLite gives its log the same mode. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // What is there, or what cannot be made, is looked at when SQLite opens it.
    if (!['EEXIST', 'EISDIR', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code!))
      throw error;
  }
}

const isBusy = (error: unknown) => error instanceof StoreUnavailable && /^SQLITE_BUSY/.test(codeOf(error));
const isFailedSync = (error: unknown) => error instanceof StoreUnavailable && /FSYNC/.test(codeOf(error));
const codeOf = (error: StoreUnavailable) => String((error.cause as { code?: unknown } | undefined)?.code);
