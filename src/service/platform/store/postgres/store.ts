import { EventEmitter } from 'node:events';
import type { Clock } from '../../../../kit/clock.ts';
import { ConcurrencyLimiter } from '../../../../kit/concurrency-limiter.ts';
import type { Migrated } from '../migrate.ts';
import { MIGRATIONS } from '../schema/index.ts';
import type { Migration } from '../schema/migration.ts';
import {
  type ConcurrencyKey,
  type Dialect,
  type ReadAt,
  type SqlValue,
  type Store,
  StoreUnavailable,
  type Topic,
  type Tx,
  type Workers,
  type WriteOptions,
} from '../store.ts';
import { OFFSET } from '../test-clock.ts';
import { runAlone } from './alone.ts';
import { Connections } from './connections.ts';
import { isConflict, NotBegun, translateOpening } from './errors.ts';
import { InFlight } from './in-flight.ts';
import { Listener } from './listener.ts';
import { migratePostgres } from './migrate.ts';
import { partitionsOf } from './partitions.ts';
import { type Kind, runTransaction } from './run-transaction.ts';
import { NOW } from './settings.ts';
import { statementOf } from './statements.ts';
import { Statistics } from './statistics.ts';
import { citusDialect, postgresDialect } from './transaction.ts';
import { identityOf } from './url.ts';
import { WorkerWatch } from './workers.ts';

/** How long a write waits for its concurrency keys before it fails with StoreUnavailable. */
const TURN_TIMEOUT_MS = 5_000;

/** Attempts of a transaction that fails with a deadlock or a serialization failure. */
const ATTEMPTS = 5;

/**
 * The store for several nodes: a PostgreSQL database, or one that speaks its protocol. It uses the database's clock.
 * Writing transactions run at READ COMMITTED: repositories lock the rows that they read for a decision (`forUpdate`),
 * and the victim of a deadlock is retried.
 *
 * Lock order, to avoid deadlocks: webhooks, then deliveries, then reward_head, then the idempotency key, then event_head,
 * for which the senders of a workspace wait; rows of one table in primary key order. Workers that lock many rows skip
 * locked ones.
 */
export class PostgresStore implements Store {
  readonly partitions = partitionsOf(this.write.bind(this), (statement) =>
    runAlone(this.#url, this.#where, statement),
  );
  readonly #url: string;
  readonly #connections: Connections;
  readonly #listener: Listener;
  readonly #notifications = new EventEmitter().setMaxListeners(0);
  readonly #where: string;
  readonly #limiter: ConcurrencyLimiter;
  readonly #statistics = new Statistics((work) => this.#transaction('lazy', work));
  #closing: Promise<void> | undefined;
  #workers: WorkerWatch | undefined;
  #hasTestClock = false;
  #clockOffset = 0;
  /** Defined where the database is distributed. */
  #inFlight: InFlight | undefined;

  private constructor(url: string, clock: Clock, share: number) {
    this.#url = url;
    this.#where = identityOf(url);
    this.#limiter = new ConcurrencyLimiter(share);
    this.#connections = new Connections(url, this.#where, share);
    this.#listener = new Listener(url, clock, (topic) => this.#onNotification(topic));
  }

  /**
   * Connects and brings the database to this program's schema. `share` is this process's part of the connections of a
   * node. Rejects with StoreUnusable or StoreUnavailable.
   */
  static async open(url: string, clock: Clock, share = 1): Promise<PostgresStore> {
    const { store } = await PostgresStore.openAndMigrate(url, clock, MIGRATIONS, share);
    return store;
  }

  /** Like `open`, and also returns the schema versions before and after. */
  static async openAndMigrate(
    url: string,
    clock: Clock,
    migrations: readonly Migration[] = MIGRATIONS,
    share = 1,
  ): Promise<{ store: PostgresStore } & Migrated> {
    const store = new PostgresStore(url, clock, share);
    try {
      await store.#listener.start();
      const { distributed, ...versions } = await migratePostgres(url, store.#where, migrations);
      if (distributed) await store.#distribute(clock);
      store.subscribe('settings', () => void store.#lookForTestClock().catch(() => {}));
      await store.#lookForTestClock();
      return { store, ...versions };
    } catch (error) {
      await store.close();
      const cause = error instanceof StoreUnavailable ? error.cause : error;
      throw translateOpening(cause, store.#where);
    }
  }

  get clockOffset(): number {
    return this.#clockOffset;
  }

  get workers(): Workers | undefined {
    return this.#workers;
  }

  get dialect(): Dialect {
    return this.#inFlight ? citusDialect : postgresDialect;
  }

  async write<T>(
    work: (tx: Tx) => Promise<T>,
    { durable = true, concurrencyKeys = [], pipelinedBegin = false }: WriteOptions = {},
  ): Promise<T> {
    return this.#limited(concurrencyKeys, async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          // A second attempt takes a connection that answers.
          const value = await this.#transaction(
            durable ? 'durable' : 'lazy',
            work,
            pipelinedBegin && attempt === 1,
          );
          this.#statistics.noteWrite();
          return value;
        } catch (error) {
          const again = isConflict((error as Error).cause) || error instanceof NotBegun;
          if (attempt === ATTEMPTS || !again) throw error;
        }
      }
    });
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#transaction('read', work);
  }

  async readOne<T extends object>(sql: string, params: readonly SqlValue[]): Promise<ReadAt<T> | undefined> {
    if (this.#hasTestClock)
      return this.read(async (tx) => {
        const row = await tx.sql.get<T>(sql, params);
        return row && { ...row, now: tx.now };
      });
    const statement = statementOf(
      `SELECT found.*, ${NOW} AS now FROM (${sql}) AS found`,
      this.dialect.distributed,
    );
    // On Citus a look may wait for a worker that does not answer.
    const alone = this.dialect.distributed;
    const { rows } = await this.#connections.read({ ...statement, values: params }, alone);
    return rows[0];
  }

  /** Runs one statement outside a transaction, in one round trip. It uses `$1` placeholders and is prepared as `name`. */
  async statement<T>(
    name: string,
    text: string,
    values: readonly SqlValue[],
    concurrencyKeys: readonly ConcurrencyKey[] = [],
  ): Promise<T[]> {
    return this.#limited(concurrencyKeys, async () => {
      const { rows } = await this.#connections.query({ name, text, values }, this.#inFlight);
      return rows as T[];
    });
  }

  async scrub(): Promise<boolean> {
    return true;
  }

  async shrink(): Promise<boolean> {
    return false;
  }

  leads(role: string): Promise<boolean> {
    return this.#listener.leads(role);
  }

  roles(): readonly string[] {
    return this.#listener.roles();
  }

  subscribe(topic: Topic, listener: () => void): () => void {
    this.#notifications.on(topic, listener);
    return () => void this.#notifications.off(topic, listener);
  }

  connections(): Record<string, number> {
    return this.#connections.counts();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Runs `work` within the limits of its concurrency keys. */
  async #limited<T>(concurrencyKeys: readonly ConcurrencyKey[], work: () => Promise<T>): Promise<T> {
    const release = await this.#limiter.acquire(concurrencyKeys, TURN_TIMEOUT_MS);
    if (!release) throw new StoreUnavailable('too many requests wait for the same row', undefined);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Transactions read the offset of a test clock where there is one. A node that was running when the store got one learns of
   * it with the notification, and the clock moves later.
   */
  async #lookForTestClock(): Promise<void> {
    if (this.#hasTestClock) return;
    this.#hasTestClock = (await this.read((tx) => tx.sql.get(OFFSET))) !== undefined;
  }

  async #distribute(clock: Clock): Promise<void> {
    const inFlight = new InFlight((workspaceId) => workers.isUnreachable(workspaceId));
    const workers = new WorkerWatch(this.#url, clock, {
      onChange: () => this.#connections.renew(),
      onLost: () => inFlight.giveUp(),
    });
    this.#workers = workers;
    this.#inFlight = inFlight;
    await workers.start();
  }

  async #close(): Promise<void> {
    this.#notifications.removeAllListeners();
    await this.#listener.stop();
    await this.#workers?.stop();
    await this.#statistics.idle();
    await this.#connections.end();
  }

  async #transaction<T>(kind: Kind, work: (tx: Tx) => Promise<T>, pipelinedBegin = false): Promise<T> {
    const parts = {
      connections: this.#connections,
      where: this.#where,
      inFlight: this.#inFlight,
      testClock: this.#hasTestClock,
    };
    const { value, topics, clockOffset } = await runTransaction(parts, kind, work, pipelinedBegin);
    // Transactions do not end in the order in which they began, and the clock never goes back.
    this.#clockOffset = Math.max(this.#clockOffset, clockOffset);
    for (const topic of topics) {
      this.#notifications.emit(topic);
      this.#listener.notify(topic);
    }
    return value;
  }

  #onNotification(topic: Topic | 'all'): void {
    if (topic !== 'all') this.#notifications.emit(topic);
    else for (const each of this.#notifications.eventNames()) this.#notifications.emit(each);
  }
}
