import pg from 'pg';
import type { Clock } from '../../../../kit/clock.ts';
import type { Workers } from '../store.ts';
import { connectionSettings, prepareSession } from './settings.ts';

/** Pause between two checks of the workers. */
const CHECK_MS = 1_000;
/** How long a worker has for its answer. */
const ANSWER_MS = 2_000;

/** The active workers that may have rows, by their groups. */
const NODES = `SELECT groupid AS "group", nodename AS host, nodeport AS port FROM pg_dist_node
  WHERE groupid <> 0 AND noderole = 'primary' AND isactive ORDER BY groupid`;
/**
 * On a new connection to the worker: of one that was open before, an answer that does not come could not be given up while
 * the worker is silent, as its coordinator would wait for it to cancel the statement.
 */
const STARTED = `SELECT result AS started FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int],
    ARRAY['SELECT extract(epoch FROM pg_postmaster_start_time())'], false) WHERE success`;
const OUT = `SELECT w.workspace_id AS id FROM workspace w JOIN pg_dist_placement p
    ON p.shardid = get_shard_id_for_distribution_column('due', w.workspace_id)
  WHERE p.groupid = ANY ($1)`;
const COUNT = 'SELECT count(*) AS n FROM workspace';

/** What to do about the connections of the process. */
interface Listeners {
  /** A worker was lost, has come back or was restarted: connections to it are of no use any more. */
  onChange(): void;
  /** After each check that finds a worker lost. */
  onLost(): void;
}

/**
 * Follows which workers of a distributed database do not answer: on a connection of its own, so that it needs none of
 * those that wait for such a worker. While the coordinator does not answer, no workspace counts as out: all are.
 */
export class WorkerWatch implements Workers {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #listeners: Listeners;
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #lost = '';
  /** When each worker was started, by its group. */
  readonly #started = new Map<number, string>();
  #out: ReadonlySet<string> = new Set();
  #workspaces = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, clock: Clock, listeners: Listeners) {
    this.#url = url;
    this.#clock = clock;
    this.#listeners = listeners;
  }

  /** Resolves after the first check, and goes on checking. */
  async start(): Promise<void> {
    await this.#check();
    this.#running = this.#repeat();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#client?.end().catch(() => {});
    await this.#running;
  }

  isUnreachable(workspaceId: string): boolean {
    return this.#out.has(workspaceId);
  }

  out(): { readonly out: number; readonly of: number } {
    return { out: this.#out.size, of: this.#workspaces };
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#clock.sleep(CHECK_MS, signal).catch(() => {});
      if (!signal.aborted) await this.#check();
    }
  }

  async #check(): Promise<void> {
    try {
      const lost: number[] = [];
      let restarted = false;
      for (const { group, host, port } of (await this.#query(NODES)).rows) {
        const started = await this.#startOf(host, port);
        const before = this.#started.get(group);
        if (started === undefined) lost.push(group);
        else {
          restarted ||= before !== undefined && before !== started;
          this.#started.set(group, started);
        }
      }
      // Workspaces may be created, and moved to other workers.
      if (lost.length > 0 || this.#lost !== '') {
        const { rows } = await this.#query(OUT, [lost]);
        this.#out = new Set(rows.map(({ id }) => id as string));
        this.#workspaces = (await this.#query(COUNT)).rows[0].n;
      }
      const changed = restarted || this.#lost !== lost.join();
      this.#lost = lost.join();
      if (changed) this.#listeners.onChange();
      if (lost.length > 0) this.#listeners.onLost();
    } catch {
      this.#disconnect();
    }
  }

  #disconnect(): void {
    this.#client?.end().catch(() => {});
    this.#client = undefined;
  }

  /** When a worker was started; undefined if it does not answer in time. Rejects if the coordinator does not. */
  async #startOf(host: string, port: number): Promise<string | undefined> {
    try {
      return (await this.#query(STARTED, [host, port])).rows[0]?.started;
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      // Cancelled by the timeout of the statement.
      if (code === '57014') return undefined;
      // A worker that became silent just then. If it was the coordinator, the next statement fails.
      if (message !== 'Query read timeout') throw error;
      this.#disconnect();
      return undefined;
    }
  }

  async #query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    const client = this.#client ?? (await this.#connect());
    return client.query(text, values);
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...connectionSettings(this.#url),
      statement_timeout: ANSWER_MS,
      query_timeout: 2 * ANSWER_MS,
    });
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    await prepareSession(client);
    this.#client = client;
    return client;
  }
}
