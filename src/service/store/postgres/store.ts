import { EventEmitter } from 'node:events';
import pg, { type PoolClient } from 'pg';
import type { Clock } from '../../../kit/clock.ts';
import { migrate } from '../migrate.ts';
import {
  type SqlValue,
  type Store,
  StoreUnavailable,
  StoreUnusable,
  type Topic,
  type Turn,
  type Tx,
  type WriteOptions,
} from '../store.ts';
import { isBroken, isConflict, translate, translateConnecting, translateOpening } from './errors.ts';
import { Listener } from './listener.ts';
import {
  connectionSettings,
  MIGRATION_TIMEOUT_MS,
  NOW,
  prepareSession,
  QUERY_TIMEOUT_MS,
} from './settings.ts';
import { PostgresSql, postgresDialect } from './transaction.ts';
import { Turns } from './turns.ts';
import { identityOf } from './url.ts';

/** Connections of one node, beside that of the listener. */
const CONNECTIONS = 10;

/** How often a transaction that met another one (deadlock, serialisation) is run. */
const ATTEMPTS = 5;

/** How long the server may take to begin a transaction before its connection counts as dead. */
const BEGIN_TIMEOUT_MS = 3_000;

/** The lock under which the schema changes, so that any number of nodes may start at once. */
const MIGRATION_LOCK = 7_300_218_449;

const WRITING = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
const BEGIN = {
  durable: `${WRITING}; SELECT ${NOW} AS now`,
  lazy: `${WRITING}; SET LOCAL synchronous_commit = off; SELECT ${NOW} AS now`,
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT ${NOW} AS now`,
};

/**
 * The store of many nodes: a PostgreSQL database, or one that speaks its protocol. Time is the database's. Writing
 * transactions run at READ COMMITTED: repositories lock the rows that a decision rests on (`forUpdate`), and a victim of
 * a deadlock is run again.
 *
 * Order of locks, so that there is none: webhooks before deliveries before anything that is counted in one row
 * (reward_head); rows of one table by primary key; the idempotency key last. Workers that lock many rows skip those
 * that are locked.
 */
export class PostgresStore implements Store {
  readonly dialect = postgresDialect;
  readonly #pool: pg.Pool;
  readonly #listener: Listener;
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #where: string;
  readonly #turns = new Turns();
  #closing: Promise<void> | undefined;

  private constructor(url: string, clock: Clock) {
    this.#where = identityOf(url);
    this.#pool = new pg.Pool({
      ...connectionSettings(url),
      max: CONNECTIONS,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      onConnect: prepareSession,
    });
    // The pool listens to idle connections only, and an error without a listener ends the process. A connection that
    // dies while it is in use fails the statement that is under way or the next one.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
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
      const versions = await store.#transaction(
        'durable',
        async (tx) => {
          // A node waits for as long as the first one needs, and a large table may take its time.
          await tx.sql.run(
            "SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)",
          );
          await tx.sql.run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
          const versions = await migrate(tx.sql, tx.now);
          if (versions.from === 0) await checkEncoding(tx);
          return versions;
        },
        MIGRATION_TIMEOUT_MS,
      );
      return { store, ...versions };
    } catch (error) {
      await store.close();
      const cause = error instanceof StoreUnavailable ? error.cause : error;
      throw translateOpening(cause, store.#where);
    }
  }

  async write<T>(
    work: (tx: Tx) => Promise<T>,
    { durable = true, turns = [] }: WriteOptions = {},
  ): Promise<T> {
    const done = await this.#turns.take(turns);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#transaction(durable ? 'durable' : 'lazy', work);
        } catch (error) {
          if (attempt === ATTEMPTS || !isConflict((error as Error).cause)) throw error;
        }
      }
    } finally {
      done();
    }
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#transaction('read', work);
  }

  /** Runs one statement by itself: one exchange with the server. `$1` placeholders; prepared under `name`. */
  async statement<T>(
    name: string,
    text: string,
    values: readonly SqlValue[],
    turns: readonly Turn[] = [],
  ): Promise<T[]> {
    const done = await this.#turns.take(turns);
    try {
      return (await this.#pool.query({ name, text, values: values as SqlValue[] })).rows as T[];
    } catch (error) {
      throw translate(error, this.#where);
    } finally {
      done();
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

  async #transaction<T>(
    kind: keyof typeof BEGIN,
    work: (tx: Tx) => Promise<T>,
    timeoutMs = QUERY_TIMEOUT_MS,
  ): Promise<T> {
    const { client, now } = await this.#begin(kind);
    const topics = new Set<Topic>();
    let broken = false;
    try {
      const sql = new PostgresSql(client, this.#where, timeoutMs);
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
    let warning: { code?: string | undefined; message?: string | undefined } | undefined;
    const onNotice = (notice: NonNullable<typeof warning>) => {
      if (notice.code !== '00000') warning = notice;
    };
    client.on('notice', onNotice);
    const { command } = await client
      .query('COMMIT')
      .catch((error) => {
        throw translate(error, this.#where);
      })
      .finally(() => client.off('notice', onNotice));
    // A commit that stopped waiting for its standby (statement_timeout, pg_cancel_backend) succeeds with a warning.
    if (warning) throw new StoreUnavailable(`${this.#where}: ${warning.message}`, warning);
    // PostgreSQL answers so, without an error, when an earlier statement had failed.
    if (command !== 'COMMIT')
      throw new Error('a statement of this transaction failed, and its error was swallowed');
  }

  /**
   * A connection that died in the pool shows at its first statement, when nothing has happened yet: the next one is
   * tried, unless the server was silent for as long as a request may wait.
   */
  async #begin(kind: keyof typeof BEGIN): Promise<{ client: PoolClient; now: number }> {
    const begin = { text: BEGIN[kind], query_timeout: BEGIN_TIMEOUT_MS };
    const deadline = performance.now() + BEGIN_TIMEOUT_MS;
    for (let attempt = 0; ; attempt++) {
      const client = await this.#pool.connect().catch((error) => {
        throw translateConnecting(error, this.#where);
      });
      try {
        const results = (await client.query(begin)) as unknown as pg.QueryResult<{ now: number }>[];
        return { client, now: results.at(-1)!.rows[0]!.now };
      } catch (error) {
        client.release(true);
        const last = attempt >= CONNECTIONS || performance.now() >= deadline;
        if (last || !isBroken(error)) throw translate(error, this.#where);
      }
    }
  }

  #hear(topic: Topic | 'all'): void {
    if (topic !== 'all') this.#news.emit(topic);
    else for (const each of this.#news.eventNames()) this.#news.emit(each);
  }
}

/** In another encoding some texts cannot be stored, and lengths count bytes. Existing data is left alone. */
async function checkEncoding({ sql }: Tx): Promise<void> {
  const row = await sql.get<{ encoding: string }>(
    'SELECT pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()',
  );
  if (row!.encoding === 'UTF8') return;
  throw new StoreUnusable(
    `its encoding is ${row!.encoding} and must be UTF8: make another with \`createdb --encoding UTF8 --template template0 NAME\``,
  );
}
