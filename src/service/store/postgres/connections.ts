import pg, { type PoolClient } from 'pg';
import { StoreUnavailable } from '../store.ts';
import { isBroken, NotBegun, translate, translateConnecting } from './errors.ts';
import type { InFlight } from './in-flight.ts';
import { connectionSettings, prepareSession } from './settings.ts';

/** Size of the connection pool of one node. The listener has one more connection. */
const CONNECTIONS = 10;

/** The least that the limits on concurrent work (http/turns.ts) leave free connections of. */
const MIN_CONNECTIONS = 5;

/** Timeout of the first statement on a pooled connection, after which the connection counts as dead. */
const FIRST_TIMEOUT_MS = 3_000;

/** The pooled connections of a process. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #most: number;
  readonly #where: string;
  /** The connections from before `renew`. */
  #old = new WeakSet<PoolClient>();
  #all = new Set<PoolClient>();

  /** `where` names the database in errors; `share` is this process's part of the connections of a node. */
  constructor(url: string, where: string, share: number) {
    this.#where = where;
    this.#most = Math.max(MIN_CONNECTIONS, Math.ceil(CONNECTIONS * share));
    this.#pool = new pg.Pool({
      ...connectionSettings(url),
      max: this.#most,
      // Statements that are sent together take one round trip (together.ts).
      pipeline: true,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      onConnect: prepareSession,
    });
    // The pool handles errors of idle connections only, and an unhandled 'error' event ends the process. The error of a
    // connection in use also fails its current or next statement.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#all.add(client);
    });
    this.#pool.on('remove', (client) => void this.#all.delete(client as PoolClient));
    // The pool removes an idle connection that fails; the next request opens another.
    this.#pool.on('error', () => {});
  }

  /**
   * Takes a connection and runs a first statement that may be repeated: BEGIN, or a read. On a dead pooled connection it
   * fails, and the next one is tried, until FIRST_TIMEOUT_MS have passed. The caller releases the connection.
   */
  async first(query: pg.QueryConfig): Promise<{ client: PoolClient; result: pg.QueryResult }> {
    const limited = { ...query, query_timeout: FIRST_TIMEOUT_MS };
    const deadline = performance.now() + FIRST_TIMEOUT_MS;
    for (let attempt = 0; ; attempt++) {
      const client = await this.take();
      try {
        return { client, result: await client.query(limited) };
      } catch (error) {
        client.release(true);
        const last = attempt >= this.#most || performance.now() >= deadline;
        if (last || !isBroken(error)) throw translate(error, this.#where);
      }
    }
  }

  /** Sends BEGIN on a connection that may be dead. Rejects with NotBegun if it is. */
  async begin(client: PoolClient, text: string): Promise<pg.QueryResult> {
    const limited = { text, query_timeout: FIRST_TIMEOUT_MS };
    const deadline = performance.now() + FIRST_TIMEOUT_MS;
    try {
      return await client.query(limited);
    } catch (error) {
      const translated = translate(error, this.#where);
      const dead = translated instanceof StoreUnavailable && isBroken(error) && performance.now() < deadline;
      throw dead ? new NotBegun(translated.message, error) : translated;
    }
  }

  /** Runs one statement, once, whose first value is the workspace that it concerns. */
  async query(query: pg.QueryConfig, inFlight: InFlight | undefined): Promise<pg.QueryResult> {
    const client = await this.take();
    let broken = false;
    try {
      const send = () => client.query(query);
      return await (inFlight?.send(client, String(query.values![0]), send) ?? send());
    } catch (error) {
      broken = isBroken(error);
      throw translate(error, this.#where);
    } finally {
      client.release(broken);
    }
  }

  /**
   * Closes the connections that there are, once they are free. Those of a coordinator of Citus hold connections to the
   * workers, of which those to a worker that was lost fail once more.
   */
  renew(): void {
    for (const client of this.#all) this.#old.add(client);
  }

  /** Takes a connection, which may be dead. The caller releases it. */
  async take(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch((error) => {
        throw translateConnecting(error, this.#where);
      });
      if (!this.#old.has(client)) return client;
      client.release(true);
    }
  }

  /** Connections by state. */
  counts(): Record<string, number> {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waited_for: waitingCount };
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}
