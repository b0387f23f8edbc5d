import pg, { type PoolClient } from 'pg';
import { StoreUnavailable } from '../store.ts';
import { isBroken, NotBegun, translate, translateConnecting } from './errors.ts';
import type { InFlight } from './in-flight.ts';
import { collectWrites, type Statement, send } from './send.ts';
import { connectionSettings, prepareSession, QUERY_TIMEOUT_MS } from './settings.ts';

/** Size of the connection pool of one node. The listener has one more connection. */
const CONNECTIONS = 10;

/** The least that the concurrency keys of writes leave free connections of. */
const MIN_CONNECTIONS = 5;

/** Timeout of the first statement on a pooled connection, after which the connection counts as dead. */
const FIRST_TIMEOUT_MS = 3_000;

interface Read {
  readonly statement: Statement;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The pooled connections of a process. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #most: number;
  readonly #where: string;
  /** The connections from before `renew`. */
  #old = new WeakSet<PoolClient>();
  #all = new Set<PoolClient>();
  /** Those that are sent at the end of this run of microtasks. */
  readonly #reads: Read[] = [];

  /** `where` names the database in errors; `share` is this process's part of the connections of a node. */
  constructor(url: string, where: string, share: number) {
    this.#where = where;
    this.#most = Math.max(MIN_CONNECTIONS, Math.ceil(CONNECTIONS * share));
    this.#pool = new pg.Pool({
      ...connectionSettings(url),
      max: this.#most,
      // Statements that are sent together take one round trip (pipeline.ts).
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
   * Takes a connection and runs BEGIN. On a dead pooled connection it fails, and the next one is tried, until
   * FIRST_TIMEOUT_MS have passed. The caller releases the connection.
   */
  async begun(text: string): Promise<{ client: PoolClient; result: pg.QueryResult }> {
    const deadline = performance.now() + FIRST_TIMEOUT_MS;
    for (let attempt = 0; ; attempt++) {
      const client = await this.take();
      try {
        return { client, result: await send(client, { text }, FIRST_TIMEOUT_MS) };
      } catch (error) {
        client.release(true);
        const last = attempt >= this.#most || performance.now() >= deadline;
        if (last || !isBroken(error)) throw translate(error, this.#where);
      }
    }
  }

  /** Sends BEGIN on a connection that may be dead. Rejects with NotBegun if it is. */
  async begin(client: PoolClient, text: string): Promise<pg.QueryResult> {
    const deadline = performance.now() + FIRST_TIMEOUT_MS;
    try {
      return await send(client, { text }, FIRST_TIMEOUT_MS);
    } catch (error) {
      const translated = translate(error, this.#where);
      const dead = translated instanceof StoreUnavailable && isBroken(error) && performance.now() < deadline;
      throw dead ? new NotBegun(translated.message, error) : translated;
    }
  }

  /**
   * Runs a statement that only reads, outside a transaction. Those that are asked for in one run of the event loop's
   * microtasks share a connection and a round trip, unless they are to wait for no other. Dead connections are replaced as
   * by `begun`.
   */
  read(statement: Statement, alone: boolean): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const read = { statement, resolve, reject };
      if (alone) return void this.#readTogether([read]);
      this.#reads.push(read);
      if (this.#reads.length === 1) process.nextTick(() => void this.#readTogether(this.#reads.splice(0)));
    });
  }

  async #readTogether(reads: readonly Read[]): Promise<void> {
    const deadline = performance.now() + FIRST_TIMEOUT_MS;
    let left = reads;
    for (let attempt = 0; left.length > 0; attempt++) {
      const again: Read[] = [];
      const last = () => attempt >= this.#most || performance.now() >= deadline;
      let broken = false;
      try {
        const client = await this.take();
        collectWrites(client);
        await Promise.all(
          left.map((read) =>
            send(client, read.statement, FIRST_TIMEOUT_MS).then(read.resolve, (error) => {
              if (isBroken(error) && !last()) again.push(read);
              else read.reject(translate(error, this.#where));
              broken ||= isBroken(error);
            }),
          ),
        );
        client.release(broken);
      } catch (error) {
        for (const read of left) read.reject(error);
      }
      left = again;
    }
  }

  /** Runs one statement, once, whose first value is the workspace that it concerns. */
  async query(query: Statement, inFlight: InFlight | undefined): Promise<pg.QueryResult> {
    const client = await this.take();
    let broken = false;
    try {
      const sent = () => send(client, query, QUERY_TIMEOUT_MS);
      return await (inFlight?.send(client, String(query.values?.[0]), sent) ?? sent());
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
