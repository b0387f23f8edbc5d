import { EventEmitter } from 'node:events';
import pg, { type PoolClient } from 'pg';
import type { Clock } from '../../../kit/clock.ts';
import { migrate } from '../migrate.ts';
import { type SqlValue, type Store, StoreUnavailable, type Topic, type Tx } from '../store.ts';
import { isBroken, isConflict, translate, translateOpening } from './errors.ts';
import { Listener } from './listener.ts';
import { connectionSettings, NOW } from './settings.ts';
import { PostgresSql, postgresDialect } from './transaction.ts';
import { identityOf } from './url.ts';

/** Connections of one node, beside that of the listener. */
const CONNECTIONS = 10;

/** How often a transaction that met another one (deadlock, serialisation) is run. */
const ATTEMPTS = 5;

/** The lock under which the schema changes, so that any number of nodes may start at once. */
const MIGRATION_LOCK = 7_300_218_449;

const BEGIN = {
  durable: `BEGIN; SELECT ${NOW} AS now`,
  lazy: `BEGIN; SET LOCAL synchronous_commit = off; SELECT ${NOW} AS now`,
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT ${NOW} AS now`,
};

/**
 * The store of many nodes: a PostgreSQL database, or one that speaks its protocol. Time is the database's. Writing
 * transactions run at READ COMMITTED: repositories lock the rows that a decision rests on (`forUpdate`), and what meets
 * in a deadlock is run again.
 */
export class PostgresStore implements Store {
  readonly dialect = postgresDialect;
  readonly #pool: pg.Pool;
  readonly #listener: Listener;
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #where: string;
  #closing: Promise<void> | undefined;

  private constructor(url: string, clock: Clock) {
    this.#where = identityOf(url);
    this.#pool = new pg.Pool({
      ...connectionSettings(url),
      max: CONNECTIONS,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    });
    // A connection that dies idle leaves the pool; the next request makes another.
    this.#pool.on('error', () => {});
    this.#listener = new Listener(url, clock, (topic) => this.#hear(topic));
  }

  /** Connects and brings the database to this program's schema. Rejects with StoreUnusable or StoreUnavailable. */
  static async open(url: string, clock: Clock): Promise<PostgresStore> {
    const { store } = await PostgresStore.openAndMigrate(url, clock);
    return store;
  }

  /** The same, and tells the schema versions before and after. */
  static async openAndMigrate(
    url: string,
    clock: Clock,
  ): Promise<{ store: PostgresStore; from: number; to: number }> {
    const store = new PostgresStore(url, clock);
    try {
      await store.#listener.start();
      const versions = await store.#transaction('durable', async (tx) => {
        // A node waits for as long as the first one needs, and a large table may take its time.
        await tx.sql.run(
          "SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)",
        );
        await tx.sql.run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        return migrate(tx.sql, tx.now);
      });
      return { store, ...versions };
    } catch (error) {
      await store.close();
      const cause = error instanceof StoreUnavailable ? error.cause : error;
      throw translateOpening(cause, store.#where);
    }
  }

  async write<T>(work: (tx: Tx) => Promise<T>, { durable = true } = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transaction(durable ? 'durable' : 'lazy', work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isConflict((error as Error).cause)) throw error;
      }
    }
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#transaction('read', work);
  }

  /** Runs one statement by itself: one exchange with the server. `$1` placeholders; prepared under `name`. */
  async statement<T>(name: string, text: string, values: readonly SqlValue[]): Promise<T[]> {
    try {
      return (await this.#pool.query({ name, text, values: values as SqlValue[] })).rows as T[];
    } catch (error) {
      throw translate(error, this.#where);
    }
  }

  leads(role: string): Promise<boolean> {
    return this.#listener.leads(role);
  }

  subscribe(topic: Topic, heard: () => void): () => void {
    this.#news.on(topic, heard);
    return () => void this.#news.off(topic, heard);
  }

  connections(): Record<string, number> {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waited_for: waitingCount };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#news.removeAllListeners();
    await this.#listener.stop();
    await this.#pool.end();
  }

  async #transaction<T>(kind: keyof typeof BEGIN, work: (tx: Tx) => Promise<T>): Promise<T> {
    const { client, now } = await this.#begin(kind);
    const topics = new Set<Topic>();
    let broken = false;
    try {
      const sql = new PostgresSql(client, this.#where);
      const value = await work({
        sql,
        now,
        lock: async (name) =>
          void (await sql.run('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name])),
        notify: async (topic) => void topics.add(topic),
      });
      await this.#commit(client);
      for (const topic of topics) {
        this.#news.emit(topic);
        this.#listener.tell(topic);
      }
      return value;
    } catch (error) {
      broken = error instanceof StoreUnavailable && isBroken(error.cause);
      if (!broken)
        await client.query('ROLLBACK').catch(() => {
          broken = true;
        });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #commit(client: PoolClient): Promise<void> {
    const { command } = await client.query('COMMIT').catch((error) => {
      throw translate(error, this.#where);
    });
    // PostgreSQL answers so, without an error, when an earlier statement had failed.
    if (command !== 'COMMIT')
      throw new Error('a statement of this transaction failed, and its error was swallowed');
  }

  /** A connection that died in the pool shows at its first statement, when nothing has happened yet: the next one. */
  async #begin(kind: keyof typeof BEGIN): Promise<{ client: PoolClient; now: number }> {
    for (let attempt = 0; ; attempt++) {
      const client = await this.#pool.connect().catch((error) => {
        throw translate(error, this.#where);
      });
      try {
        const results = (await client.query(BEGIN[kind])) as unknown as pg.QueryResult<{ now: number }>[];
        return { client, now: results.at(-1)!.rows[0]!.now };
      } catch (error) {
        client.release(true);
        if (attempt >= CONNECTIONS || !isBroken(error)) throw translate(error, this.#where);
      }
    }
  }

  #hear(topic: Topic | 'all'): void {
    if (topic !== 'all') this.#news.emit(topic);
    else for (const each of this.#news.eventNames()) this.#news.emit(each);
  }
}
