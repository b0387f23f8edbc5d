import { join } from 'node:path';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspace } from '../../../src/service/admin/accounts.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { type Fleet, startFleet } from '../process/fleet.ts';
import type { SvcProgram } from '../process/svc-process.ts';
import { LOADED_NODE, type Load, startLoad } from '../scenarios/fleet-load.ts';
import type { FleetReport } from '../scenarios/loaded-fleet.ts';
import { onDatabase, type WorkerNode } from './citus.ts';
import { createDatabase } from './postgres.ts';

/** A distributed database with a load on each of some workspaces. */
export interface DistributedLoad {
  readonly database: string;
  readonly fleet: Fleet;
  /** The workspaces under load, each with the worker that has its rows at the start. */
  readonly placed: readonly { readonly workspace: string; readonly worker: WorkerNode }[];
}

/**
 * Runs imports, decisions and deliveries on three nodes, for one workspace on each worker, while `work` breaks things.
 * Returns what became of the load, by workspace in the order of `placed`.
 */
export async function loadDistributed(
  program: SvcProgram,
  admin: string,
  home: string,
  prepare: (database: string) => Promise<void>,
  work: (load: DistributedLoad) => Promise<void>,
): Promise<FleetReport[]> {
  const database = await createDatabase(admin);
  await prepare(database);
  const fleet = await startFleet(program, {
    database,
    home: join(home, 'nodes'),
    nodes: 3,
    argv: LOADED_NODE,
  });
  const loads: Load[] = [];
  try {
    const placed = await workspaceOnEach(database);
    for (const { workspace, apiKey } of placed) {
      const own = { ...fleet, workspace, apiKey, stop: async () => {} };
      loads.push(await startLoad(program, own, join(home, workspace)));
    }
    await work({ database, fleet, placed });
    const reports: FleetReport[] = [];
    for (const load of loads) reports.push({ ...(await load.finish(database)), exits: fleet.exits });
    return reports;
  } catch (error) {
    for (const load of loads) await load.abandon();
    throw error;
  } finally {
    await fleet.stop();
  }
}

/** Creates workspaces until each worker has one. */
async function workspaceOnEach(database: string) {
  const store = await connectStore(database, systemClock);
  const placed = new Map<string, { workspace: string; apiKey: string; worker: WorkerNode }>();
  try {
    const count = await onDatabase(database, async (query) => {
      const { rows } = await query(
        "SELECT count(DISTINCT nodeport)::int AS n FROM citus_shards WHERE table_name = 'due'::regclass",
      );
      return rows[0].n as number;
    });
    for (let n = 0; placed.size < count; n++) {
      const workspace = `ws_placed_${n}`;
      const { key: apiKey } = await createWorkspace(store, workspace, 'test');
      const worker = await workerOf(database, workspace);
      if (!placed.has(String(worker.port))) placed.set(String(worker.port), { workspace, apiKey, worker });
    }
    return [...placed.values()];
  } finally {
    await store.close();
  }
}

/** The worker that has the rows of a workspace. */
export const workerOf = (database: string, workspace: string): Promise<WorkerNode> =>
  onDatabase(database, async (query) => {
    const { rows } = await query(
      `SELECT nodename AS host, nodeport AS port FROM citus_shards
       WHERE shardid = get_shard_id_for_distribution_column('due', $1::text)`,
      [workspace],
    );
    return rows[0] as WorkerNode;
  });
