import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * The coordinator of a distributed database for tests alone, which are run one at a time: the superuser URL of a database
 * where Citus knows its workers. Undefined where SVC_TEST_CITUS_URL names none.
 */
export const coordinator = process.env.SVC_TEST_CITUS_URL || undefined;

/** A worker of a distributed database. */
export interface WorkerNode {
  readonly host: string;
  readonly port: number;
}

export type Query = (sql: string, values?: unknown[]) => Promise<pg.QueryResult>;

/** Runs statements on one connection. */
export async function onDatabase<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work((sql, values) => client.query(sql, values));
  } finally {
    await client.end();
  }
}

/** The workers that a coordinator knows, in the order in which they were added. */
const workersOf = (url: string): Promise<WorkerNode[]> =>
  onDatabase(url, async (query) => {
    const { rows } = await query(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
       WHERE groupid <> 0 AND noderole = 'primary' ORDER BY nodeid`,
    );
    return rows as WorkerNode[];
  });

/** The URL of the same database on a worker. */
export function atWorker(url: string, { host, port }: WorkerNode): string {
  const worker = new URL(url);
  worker.hostname = host;
  worker.port = String(port);
  return worker.href;
}

/** The URL of another database of the same server. */
function named(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/**
 * Creates a database on the coordinator and each worker, and returns its URL there: one whose coordinator knows the
 * workers and has no tables, or a copy of such a one by its name.
 */
export async function createDistributed(admin: string, name: string, copyOf?: string): Promise<string> {
  const workers = await workersOf(admin);
  const from = copyOf ?? (await withoutTables(admin, workers));
  const servers = [admin, ...workers.map((worker) => atWorker(admin, worker))];
  await Promise.all(servers.map((server) => onDatabase(server, (query) => copy(query, from, name))));
  return named(admin, name);
}

/**
 * Removes a database that tests have created on the coordinator and the workers, or all of them. The maintenance of Citus
 * keeps connections to each.
 */
export async function dropDistributed(admin: string, name?: string): Promise<void> {
  const workers = await workersOf(admin);
  for (const server of [admin, ...workers.map((worker) => atWorker(admin, worker))])
    await onDatabase(server, async (query) => {
      const { rows } = await query(
        "SELECT datname AS name FROM pg_database WHERE datname LIKE 'svc\\_test\\_%' AND datname = COALESCE($1, datname)",
        [name],
      );
      for (const { name } of rows) await query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
}

/** Copies a database. The maintenance of Citus is connected to each one that it was used in, which forbids to copy it. */
async function copy(query: Query, from: string, name: string): Promise<void> {
  await query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [from]);
  await query(`ALTER DATABASE ${from} ALLOW_CONNECTIONS false`);
  for (;;) {
    await query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [from]);
    try {
      await query(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY file_copy`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006') throw error;
    }
  }
}

/** The name of a database that knows the workers and has no tables, which is made if it does not exist. */
async function withoutTables(admin: string, workers: readonly WorkerNode[]): Promise<string> {
  const known = createHash('sha256').update(JSON.stringify(workers)).digest('hex').slice(0, 8);
  const name = `svc_test_base_${known}`;
  await onDatabase(admin, async (query) => {
    await query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const found = await query('SELECT 1 FROM pg_database WHERE datname = $1 AND NOT datallowconn', [name]);
    if (found.rowCount === 0) await makeCluster(admin, name, workers);
  });
  return name;
}

async function makeCluster(admin: string, name: string, workers: readonly WorkerNode[]): Promise<void> {
  for (const server of [...workers.map((worker) => atWorker(admin, worker)), admin]) {
    await onDatabase(server, async (query) => {
      await query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await query(`CREATE DATABASE ${name} TEMPLATE template0`);
    });
    await onDatabase(named(server, name), (query) => query('CREATE EXTENSION citus'));
  }
  const { hostname, port } = new URL(admin);
  await onDatabase(named(admin, name), async (query) => {
    await query('SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port || 5432)]);
    for (const worker of workers) await query('SELECT citus_add_node($1, $2)', [worker.host, worker.port]);
  });
  await onDatabase(admin, (query) => query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`));
}
