import pg from 'pg';
import type { Clock } from '../../../kit/clock.ts';
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
 * Citus uses an open connection again, which a worker that was restarted has forgotten: then the first check fails, and
 * the second opens one.
 */
const ANSWERS = `SELECT citus_check_connection_to_node($1, $2) AS before,
    citus_check_connection_to_node($1, $2) AS answers`;
const OUT = `SELECT w.workspace_id AS id FROM workspace w JOIN pg_dist_placement p
    ON p.shardid = get_shard_id_for_distribution_column('due', w.workspace_id)
  WHERE p.groupid = ANY ($1)`;
const COUNT = 'SELECT count(*) AS n FROM workspace';

/**
 * Follows which workers of a distributed database do not answer: on a connection of its own, so that it needs none of
 * those that wait for such a worker. While the coordinator does not answer, no workspace counts as out: all are.
 */
export class WorkerWatch implements Workers {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #lost = '';
  #out: ReadonlySet<string> = new Set();
  #workspaces = 0;
  #running: Promise<void> = Promise.resolve();

  /** `onChange` is called when a worker was lost or has come back: connections to it are of no use any more. */
  constructor(url: string, clock: Clock, onChange: () => void) {
    this.#url = url;
    this.#clock = clock;
    this.#onChange = onChange;
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

  isOut(workspaceId: string): boolean {
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
      const client = this.#client ?? (await this.#connect());
      const lost: number[] = [];
      let restarted = false;
      for (const { group, host, port } of (await client.query(NODES)).rows) {
        const { before, answers } = await check(client, host, port);
        if (!answers) lost.push(group);
        else if (!before) restarted = true;
      }
      // Workspaces may be created, and moved to other workers.
      if (lost.length > 0 || this.#lost !== '') {
        const { rows } = await client.query(OUT, [lost]);
        this.#out = new Set(rows.map(({ id }) => id as string));
        this.#workspaces = (await client.query(COUNT)).rows[0].n;
      }
      const changed = restarted || this.#lost !== lost.join();
      this.#lost = lost.join();
      if (changed) this.#onChange();
    } catch {
      await this.#client?.end().catch(() => {});
      this.#client = undefined;
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...connectionSettings(this.#url), statement_timeout: ANSWER_MS });
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    await prepareSession(client);
    this.#client = client;
    return client;
  }
}

/**
 * Whether a worker answers in time, and did so on the connection that there was before. Rejects if the coordinator does
 * not.
 */
async function check(
  client: pg.Client,
  host: string,
  port: number,
): Promise<{ before: boolean; answers: boolean }> {
  try {
    return (await client.query(ANSWERS, [host, port])).rows[0];
  } catch (error) {
    // Cancelled by the timeout of the statement.
    if ((error as { code?: unknown }).code === '57014') return { before: false, answers: false };
    throw error;
  }
}
