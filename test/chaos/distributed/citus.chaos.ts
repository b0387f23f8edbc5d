import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/kit/random.ts';
import { atWorker, coordinator, dropDistributed, onDatabase } from '../../support/postgres/citus.ts';
import { loadDistributed, workerOf } from '../../support/postgres/distributed-fleet.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { killServer, silenceServer } from '../../support/postgres/worker-process.ts';
import { type SvcProgram, svcProgram } from '../../support/process/svc-process.ts';
import { expectNothingLost } from '../../support/scenarios/loaded-fleet.ts';
import { shareLimit } from '../../support/scenarios/shared-limit.ts';
import { tempDir } from '../../support/temp.ts';

const SEED = process.env.SVC_SEED ?? 'citus';
const KILLS = 20;
const SILENCES = 5;

if (!coordinator)
  console.warn(
    'SKIPPED: SVC_TEST_CITUS_URL names no coordinator, so nothing is tested on a distributed database',
  );

describe.skipIf(!coordinator)('a distributed database', () => {
  const admin = coordinator!;
  let program: SvcProgram;
  beforeAll(async () => {
    program = await svcProgram();
  });
  afterAll(async () => {
    program.release();
    await dropDistributed(admin);
  }, 600_000);

  test(`${KILLS} kills of a worker: its workspaces lose nothing, and the others notice nothing`, async () => {
    await harmOne(program, KILLS, 4000, killServer);
  });

  test(`a worker is silent ${SILENCES} times: its workspaces lose nothing, and the others notice nothing`, async () => {
    // From shorter than the service needs to notice it to longer than a statement may take.
    await harmOne(program, SILENCES, 40_000, silenceServer);
  });

  test('a worker is added and shards are moved under load without an error', async () => {
    let moved = 0;
    const reports = await loadDistributed(
      program,
      admin,
      tempDir(),
      removeLast,
      async ({ database, placed }) => {
        await sleep(3000);
        await onDatabase(database, async (query) => {
          await query('SELECT citus_add_node($1, $2)', [added!.host, added!.port]);
          await query("SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')");
        });
        for (const { workspace, worker } of placed)
          if ((await workerOf(database, workspace)).port !== worker.port) moved++;
        await sleep(1000);
        // Each loaded workspace goes to another worker once more.
        for (const { workspace } of placed) {
          await moveOn(database, workspace);
          moved++;
        }
        await sleep(3000);
      },
    );
    console.log(JSON.stringify({ moved, reports }));
    expect(moved).toBeGreaterThanOrEqual(2);
    for (const report of reports) {
      expectNothingLost(report, 100);
      expect(report.refused).toBe(0);
    }
  });

  test('three nodes, five importers: never one request over the limit in any 60 s', async () => {
    const [limit, requests] = [600, 1500];
    const database = await createDatabase(admin);
    const shared = { database, home: tempDir(), limit, requests, windowMs: 60_000 };
    const report = await shareLimit(program, shared);
    console.log(JSON.stringify({ limit, ...report }));
    expect(report.codes).toEqual(Array(5).fill(0));
    expect(report.most).toBeLessThanOrEqual(limit);
    expect(report.rateLimited).toBe(0);
    expect([report.stored, report.distinct]).toEqual([requests * 2, requests * 2]);
  });
});

const none = async () => {};

/** Harms one of three workers under load some times, each for up to `mostMs`. */
async function harmOne(
  program: SvcProgram,
  times: number,
  mostMs: number,
  harm: (url: string) => Promise<() => Promise<void>>,
): Promise<void> {
  const random = seededRandom(SEED);
  const reports = await loadDistributed(
    program,
    coordinator!,
    tempDir(),
    none,
    async ({ database, placed }) => {
      const victim = atWorker(database, placed[0]!.worker);
      for (let n = 0; n < times; n++) {
        await sleep(4000 * (0.5 + random()));
        const restore = await harm(victim);
        await sleep(mostMs * random());
        await restore();
      }
      await sleep(4000);
    },
  );
  console.log(JSON.stringify(reports));
  const [harmed, ...others] = reports;
  expect(harmed!.refused).toBeGreaterThan(times);
  expectNothingLost(harmed!, 0);
  for (const report of others) {
    expectNothingLost(report, 100);
    expect(report.refused).toBe(0);
  }
  expect(Math.max(...others.map(({ slowestMs }) => slowestMs))).toBeLessThan(30_000);
}

let added: { host: string; port: number } | undefined;

/** Takes the last worker out of an empty distributed database. */
async function removeLast(database: string): Promise<void> {
  await onDatabase(database, async (query) => {
    const { rows } = await query(
      'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid DESC LIMIT 1',
    );
    added = rows[0];
    await query('SELECT citus_remove_node($1, $2)', [added!.host, added!.port]);
  });
}

/** Moves the rows of a workspace, and of those beside it, to the next worker. */
async function moveOn(database: string, workspace: string): Promise<void> {
  const from = await workerOf(database, workspace);
  await onDatabase(database, async (query) => {
    const { rows } = await query(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0
       ORDER BY nodeport <= $1, nodeport LIMIT 1`,
      [from.port],
    );
    await query(
      `SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('due', $1::text), $2, $3, $4, $5, 'force_logical')`,
      [workspace, from.host, from.port, rows[0].host, rows[0].port],
    );
  });
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
