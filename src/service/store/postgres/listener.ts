import pg from 'pg';
import type { Clock } from '../../../kit/clock.ts';
import { newId } from '../../../kit/id.ts';
import type { Topic } from '../store.ts';
import { connectionSettings, prepareSession } from './settings.ts';

const CHANNEL = 'svc_news';

/** News of one topic is told at most once in so many milliseconds. */
const GATHER_MS = 10;

/** Pauses between attempts to come back after the connection was lost. */
const RETRY_MS = [100, 250, 500, 1000, 2000];

/** A connection that carries nothing is asked this often, so that a dead one is noticed. */
const HEARTBEAT_MS = 5_000;

/**
 * A connection of its own for what outlives a transaction: it hears the news of other nodes (LISTEN), tells ours, and
 * holds the locks of the roles that this node leads. Comes back by itself; what was missed meanwhile is made up for by
 * reporting news of every topic.
 *
 * News is sent after the commit and not inside the transaction: NOTIFY makes all commits of a database wait for one
 * another. A node that dies between the two is covered by the workers' own looks at the clock.
 */
export class Listener {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #heard: (topic: Topic | 'all') => void;
  readonly #self = newId('node');
  readonly #stopping = new AbortController();
  readonly #waiting = new Set<Topic>();
  readonly #led = new Set<string>();
  #client: pg.Client | undefined;
  #telling: Promise<void> | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, clock: Clock, heard: (topic: Topic | 'all') => void) {
    this.#url = url;
    this.#clock = clock;
    this.#heard = heard;
  }

  /** Resolves once it listens; rejects with the driver's error. From then on it keeps itself connected. */
  async start(): Promise<void> {
    const { lost } = await this.#connect();
    this.#running = this.#stayConnected(lost);
  }

  /** Tells the other nodes, soon. News that cannot be told is dropped: it says only that it is worth looking. */
  tell(topic: Topic): void {
    this.#waiting.add(topic);
    this.#telling ??= this.#tellSoon();
  }

  /** True while this node is the one on the database that has the role. Asks for it where nobody has. */
  async leads(role: string): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    if (this.#led.has(role)) return true;
    try {
      const { rows } = await this.#ask(
        client,
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won',
        [`svc role ${role}`],
      );
      if (rows[0].won && this.#client === client) this.#led.add(role);
    } catch {
      // The connection is going; whoever takes the lock next leads.
      return false;
    }
    return this.#led.has(role);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#telling;
    await this.#client?.end().catch(() => {});
    await this.#running;
  }

  /** Returns, in an object, a promise that resolves when the new connection is lost. */
  async #connect(): Promise<{ lost: Promise<void> }> {
    const client = new pg.Client({ ...connectionSettings(this.#url), query_timeout: HEARTBEAT_MS });
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', ({ payload = '' }) => {
      const [node, topic] = payload.split(' ');
      if (node !== this.#self) this.#heard(topic as Topic);
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
      const heartbeat = this.#beat();
      await lost;
      await heartbeat.stop();
      this.#client = undefined;
      this.#led.clear();
      for (let attempt = 0; !signal.aborted; attempt++) {
        const pause = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!;
        await this.#clock.sleep(pause, signal).catch(() => {});
        if (signal.aborted) return;
        try {
          ({ lost } = await this.#connect());
          break;
        } catch {
          // The database is still away.
        }
      }
      if (!signal.aborted) this.#heard('all');
    }
  }

  #beat(): { stop(): Promise<void> } {
    const client = this.#client!;
    const over = new AbortController();
    const beating = (async () => {
      for (;;) {
        await this.#clock.sleep(HEARTBEAT_MS, AbortSignal.any([over.signal, this.#stopping.signal]));
        await this.#ask(client, 'SELECT 1');
      }
    })().catch(() => {
      if (!over.signal.aborted && !this.#stopping.signal.aborted) void client.end().catch(() => {});
    });
    return {
      stop: () => {
        over.abort();
        return beating;
      },
    };
  }

  /** One statement after the other: a connection does one at a time. */
  #ask(client: pg.Client, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    const answer = this.#asking.then(() => client.query(text, values));
    this.#asking = answer.catch(() => {});
    return answer;
  }

  async #tellSoon(): Promise<void> {
    await this.#clock.sleep(GATHER_MS);
    const topics = [...this.#waiting];
    this.#waiting.clear();
    this.#telling = undefined;
    const texts = topics.map((topic) => `${this.#self} ${topic}`);
    const client = this.#client;
    if (!client) return;
    const tell = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload';
    await this.#ask(client, tell, [CHANNEL, texts]).catch(() => {});
  }
}
