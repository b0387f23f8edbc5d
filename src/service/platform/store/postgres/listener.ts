import pg from 'pg';
import type { Clock } from '../../../../kit/clock.ts';
import { newId } from '../../../../kit/id.ts';
import type { Topic } from '../store.ts';
import { connectionSettings, prepareSession } from './settings.ts';

const CHANNEL = 'svc_news';

/**
 * Notifications of one topic are collected for this long and sent once. Those who wait for outcomes gather them for as
 * long before they act (workers/reward-log-writer.ts, workers/learner.ts).
 */
const COLLECT_MS = 10;
const COLLECT_OUTCOMES_MS = 100;

/** Pauses between attempts to reconnect. */
const RETRY_MS = [100, 250, 500, 1000, 2000];

/** How long a node that does not lead a role waits before it asks for it again. */
const ASK_MS = 1_000;

/** Interval of the queries that detect a dead connection. */
const HEARTBEAT_MS = 5_000;

/**
 * A separate connection for state that outlives a transaction: it receives the notifications of other nodes (LISTEN),
 * sends those of this node, and holds the advisory locks of the roles that this node leads. It reconnects automatically
 * and then reports every topic, because notifications may have been missed.
 *
 * Notifications are sent after the commit and not inside the transaction, because NOTIFY serializes all commits of a
 * database. If a node dies between the two, the workers find the work at their next poll.
 */
export class Listener {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #onNotification: (topic: Topic | 'all') => void;
  readonly #self = newId('node');
  readonly #stopping = new AbortController();
  readonly #pending = new Map<Topic, Promise<void>>();
  readonly #ledRoles = new Set<string>();
  /** The roles that another node leads, with the time (performance.now) at which to ask again. */
  readonly #askAgain = new Map<string, number>();
  #client: pg.Client | undefined;
  #lastQuery: Promise<unknown> = Promise.resolve();
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, clock: Clock, onNotification: (topic: Topic | 'all') => void) {
    this.#url = url;
    this.#clock = clock;
    this.#onNotification = onNotification;
  }

  /** Resolves once it listens, and then stays connected. Rejects with the driver's error. */
  async start(): Promise<void> {
    const { lost } = await this.#connect();
    this.#running = this.#stayConnected(lost);
  }

  /** Notifies the other nodes shortly. Notifications are dropped while there is no connection: they are only hints. */
  notify(topic: Topic): void {
    if (!this.#pending.has(topic)) this.#pending.set(topic, this.#sendSoon(topic));
  }

  /** True while this node leads the role. Acquires it if no node has it. */
  async leads(role: string): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    if (this.#ledRoles.has(role)) return true;
    // Workers ask in every round, and most rounds are for the node that leads.
    if (performance.now() < (this.#askAgain.get(role) ?? 0)) return false;
    try {
      const { rows } = await this.#query(
        client,
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won',
        [`svc role ${role}`],
      );
      if (rows[0].won && this.#client === client) this.#ledRoles.add(role);
      else this.#askAgain.set(role, performance.now() + ASK_MS);
    } catch {
      // The connection is lost, and the lock with it.
      return false;
    }
    return this.#ledRoles.has(role);
  }

  /** The roles that this node leads. */
  roles(): readonly string[] {
    return [...this.#ledRoles].sort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#pending.values());
    await this.#client?.end().catch(() => {});
    await this.#running;
  }

  /** Connects. `lost` (in an object, so that it is not awaited here) resolves when the connection is lost. */
  async #connect(): Promise<{ lost: Promise<void> }> {
    const client = new pg.Client({ ...connectionSettings(this.#url), query_timeout: HEARTBEAT_MS });
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', ({ payload = '' }) => {
      const [node, topic] = payload.split(' ');
      if (node !== this.#self) this.#onNotification(topic as Topic);
    });
    try {
      await client.connect();
      await prepareSession(client);
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    return { lost };
  }

  async #stayConnected(first: Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    let lost = first;
    while (!signal.aborted) {
      const heartbeat = this.#startHeartbeat();
      await lost;
      await heartbeat.stop();
      this.#client = undefined;
      this.#ledRoles.clear();
      this.#askAgain.clear();
      for (let attempt = 0; !signal.aborted; attempt++) {
        const pause = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!;
        await this.#clock.sleep(pause, signal).catch(() => {});
        if (signal.aborted) return;
        try {
          ({ lost } = await this.#connect());
          break;
        } catch {
          // The database is still unavailable.
        }
      }
      if (!signal.aborted) this.#onNotification('all');
    }
  }

  #startHeartbeat(): { stop(): Promise<void> } {
    const client = this.#client!;
    const stopped = new AbortController();
    const loop = (async () => {
      for (;;) {
        await this.#clock.sleep(HEARTBEAT_MS, AbortSignal.any([stopped.signal, this.#stopping.signal]));
        await this.#query(client, 'SELECT 1');
      }
    })().catch(() => {
      if (!stopped.signal.aborted && !this.#stopping.signal.aborted) void client.end().catch(() => {});
    });
    return {
      stop: () => {
        stopped.abort();
        return loop;
      },
    };
  }

  /** Runs a statement after the previous one: a connection handles one at a time. */
  #query(client: pg.Client, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    const result = this.#lastQuery.then(() => client.query(text, values));
    this.#lastQuery = result.catch(() => {});
    return result;
  }

  async #sendSoon(topic: Topic): Promise<void> {
    const pause = topic === 'outcomes' ? COLLECT_OUTCOMES_MS : COLLECT_MS;
    await this.#clock.sleep(pause, this.#stopping.signal).catch(() => {});
    this.#pending.delete(topic);
    const client = this.#client;
    if (!client) return;
    await this.#query(client, 'SELECT pg_notify($1, $2)', [CHANNEL, `${this.#self} ${topic}`]).catch(
      () => {},
    );
  }
}
