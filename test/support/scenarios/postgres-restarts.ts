import pg from 'pg';
import { seededRandom } from '../../../src/kit/random.ts';
import { createDatabase } from '../postgres/postgres.ts';
import { type PostgresCluster, startCluster } from '../postgres/postgres-cluster.ts';
import type { Fleet } from '../process/fleet.ts';
import type { Served } from '../process/served.ts';
import type { SvcProgram } from '../process/svc-process.ts';
import { breakLoaded, type FleetReport } from './loaded-fleet.ts';

export interface RestartOptions {
  readonly home: string;
  readonly seed: string;
  readonly nodes: number;
  /** Restarts of PostgreSQL, alternately by fast shutdown and SIGKILL. */
  readonly restarts: number;
  /** Connections that the server terminates, spread over the other actions. */
  readonly terminations: number;
  /** How often a node is paused (SIGSTOP), and for how long. */
  readonly pauses: number;
  readonly pauseMs: number;
  /** How long the server keeps the transaction of a paused node. Default: the setting of the nodes (20 s). */
  readonly idleInTransactionMs?: number;
  /** Failovers to a synchronous standby. */
  readonly failovers: number;
  /** The mean pause between two actions, in ms; pauses vary by a half. */
  readonly everyMs: number;
}

export interface RestartReport extends FleetReport {
  readonly restarts: number;
  readonly terminations: number;
  readonly pauses: number;
  readonly failovers: number;
  /** Transactions that timed out because their node was paused. */
  readonly idleTimeouts: number;
  /** The longest time from the end of an outage or pause until every node answered a decision. */
  readonly slowestRecoveryMs: number;
  /** The highest number of log lines in which a node reports a problem of its workers. */
  readonly problemLines: number;
  /** The duration of the load. */
  readonly seconds: number;
}

/** Runs imports, decisions and deliveries while PostgreSQL restarts, disconnects and fails over, and nodes are paused. */
export async function restartPostgres(program: SvcProgram, options: RestartOptions): Promise<RestartReport> {
  const random = seededRandom(options.seed);
  const cluster = await startCluster();
  const done = { restarts: 0, terminations: 0, pauses: 0, failovers: 0 };
  let slowestRecoveryMs = 0;
  const breakThings = async (fleet: Fleet) => {
    const recovered = async () => {
      slowestRecoveryMs = Math.max(slowestRecoveryMs, await recovery(fleet.nodes));
    };
    const actions = shuffled(
      [
        ...Array(options.restarts).fill('restart'),
        ...Array(options.pauses).fill('pause'),
        ...Array(options.failovers).fill('failover'),
      ] as ('restart' | 'pause' | 'failover')[],
      random,
    );
    for (const [i, action] of actions.entries()) {
      await sleep(options.everyMs * (0.5 + random()));
      const due = Math.round((options.terminations * (i + 1)) / actions.length) - done.terminations;
      done.terminations += await terminate(cluster, due);
      await recovered();
      if (action === 'restart') {
        await restart(cluster, done.restarts++ % 2 === 0 ? 'fast' : 'kill', random() * 2000);
      } else if (action === 'failover') {
        await cluster.addStandby();
        await recovered();
        await sleep(options.everyMs);
        await cluster.failOver();
        done.failovers++;
      } else {
        await pause(cluster, fleet, Math.floor(random() * options.nodes), options.pauseMs);
        done.pauses++;
      }
      await recovered();
    }
    await sleep(options.everyMs);
  };
  try {
    const { nodes, home, idleInTransactionMs: idle } = options;
    const database = await createDatabase(cluster.admin);
    const nodeDatabase =
      idle === undefined ? database : `${database}?idle_in_transaction_session_timeout=${idle}`;
    const loaded = { database, nodeDatabase, home, nodes };
    const started = performance.now();
    const { report, fleet } = await breakLoaded(program, loaded, breakThings);
    const seconds = Math.round((performance.now() - started) / 1000);
    const logs = await Promise.all(fleet.nodes.map((node) => node.process.ended));
    return {
      ...report,
      ...done,
      idleTimeouts: cluster.log().split('due to idle-in-transaction timeout').length - 1,
      slowestRecoveryMs: Math.round(slowestRecoveryMs),
      problemLines: Math.max(...logs.map(({ stderr }) => problems(stderr))),
      seconds,
    };
  } finally {
    await cluster.stop();
  }
}

/** The number of log lines other than those of requests, whose number depends on the speed of the machine. */
function problems(log: string): number {
  return log
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level":"info"') && !line.includes('"requestId":'))
    .length;
}

async function restart(cluster: PostgresCluster, how: 'fast' | 'kill', awayMs: number): Promise<void> {
  const server = cluster.primary();
  await (how === 'fast' ? server.shutDown() : server.kill());
  await sleep(awayMs);
  await server.start();
}

/** Terminates connections of nodes one by one, preferring those that are busy. */
async function terminate(cluster: PostgresCluster, count: number): Promise<number> {
  const client = new pg.Client({ connectionString: cluster.primary().admin });
  await client.connect();
  let ended = 0;
  while (ended < count) {
    const { rows } = await client.query(
      `SELECT pg_terminate_backend(pid) AS ended FROM
         (SELECT pid FROM pg_stat_activity WHERE application_name = 'svc'
          ORDER BY state = 'idle', random() LIMIT 1) AS victim`,
    );
    if (rows[0]?.ended) ended++;
    await sleep(50);
  }
  await client.end();
  return ended;
}

/** Pauses a node during a transaction. Meanwhile the other nodes answer decisions. */
async function pause(cluster: PostgresCluster, fleet: Fleet, index: number, ms: number): Promise<void> {
  const node = fleet.nodes[index]!;
  const client = new pg.Client({ connectionString: cluster.primary().admin });
  await client.connect();
  // A transaction that is idle for this long belongs to the paused node.
  const left = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'svc' AND state = 'idle in transaction'
    AND state_change < clock_timestamp() - interval '150 ms'`;
  for (;;) {
    process.kill(node.pid, 'SIGSTOP');
    await sleep(200);
    if ((await client.query(left)).rowCount! > 0) break;
    process.kill(node.pid, 'SIGCONT');
    await sleep(20);
  }
  await client.end();
  await sleep(ms);
  await recovery(fleet.nodes.filter((each) => each !== node));
  process.kill(node.pid, 'SIGCONT');
}

/** The time until every node has answered a decision, in ms. Throws if a node exits or needs more than a minute. */
async function recovery(nodes: readonly Served[]): Promise<number> {
  const started = performance.now();
  await Promise.all(
    nodes.map(async (node) => {
      while ((await probe(node)) !== 200) {
        const { exitCode, signalCode } = node.process.child;
        if (exitCode !== null || signalCode !== null)
          throw new Error(`a node exited: ${(await node.process.ended).stderr}`);
        if (performance.now() - started > 60_000)
          throw new Error(`the node at ${node.url} does not answer decisions`);
        await sleep(50);
      }
    }),
  );
  return performance.now() - started;
}

async function probe({ url, apiKey, workspace }: Served): Promise<number | undefined> {
  try {
    const answer = await fetch(`${url}/v1/decisioning/decide`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'x-service-workspace': workspace,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ hashId: 'probe' }),
      signal: AbortSignal.timeout(5_000),
    });
    await answer.text();
    return answer.status;
  } catch {
    return undefined;
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
