import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { connectStore, migrateStore } from '../../../src/service/platform/open.ts';
import { opsOf, WORKSPACE } from '../../support/goals/world.ts';
import { databasesOn, ENGINES } from '../../support/postgres/engines.ts';
import { killable } from '../../support/process/killable.ts';
import { ROOT } from '../../support/process/run-svc.ts';

/** SVC_GUARDS_DECISIONS overrides the number of decisions; there is an event for each, and harm besides. */
const DECISIONS = Number(process.env.SVC_GUARDS_DECISIONS ?? 5000);
const KILLS = Number(process.env.SVC_GUARDS_KILLS ?? 40);

/** What guards say, what they count, and what decisions earn and the learner reads, by table. */
const TABLES = {
  guard: 'goal, content_id, since_ms, removed_ms, rule, digest, value, holdout',
  goal_by_time: 'width, goal, content_id, policy, bucket, value, squares, most',
  content_count: 'width, content_id, policy, bucket, served',
  goal: 'goal, goal_id, definition, number, events, clipped, unreadable',
  goal_count: 'goal, content_id, policy, converted, value, squares',
  goal_event: 'goal, number, hash_id, at_ms, value, counted, match_key, decisions',
  decision: 'decision_id, goals, given, earned, reward, counted_at',
  reward: 'seq, decision_id, was, reward, at_ms',
};

async function stateOf(database: string): Promise<Record<string, string[]>> {
  const store = await connectStore(database, systemClock);
  try {
    return await store.read(async ({ sql }) => {
      // Each workspace hashes its users with a key of its own.
      const users = await sql.all<{ hash: string; first: string }>(
        'SELECT hash_id AS hash, min(decision_id) AS first FROM decision WHERE workspace_id = ? GROUP BY hash_id',
        [WORKSPACE],
      );
      const nameOf = new Map(users.map(({ hash, first }) => [hash, first]));
      const state: Record<string, string[]> = {};
      for (const [table, columns] of Object.entries(TABLES)) {
        const rows = await sql.all<Record<string, unknown>>(
          `SELECT ${columns} FROM ${table} WHERE workspace_id = ?`,
          [WORKSPACE],
        );
        state[table] = rows
          .map(({ hash_id: hash, match_key: match, ...row }) =>
            JSON.stringify({ ...row, user: nameOf.get(String(hash)), matches: match != null }),
          )
          .sort();
      }
      return state;
    });
  } finally {
    await store.close();
  }
}

test.each(ENGINES)(
  '%s: guards and rewards from outside say the same after kills as without',
  { timeout: 2 * 3600_000 },
  async (engine) => {
    const seed = `guards ${process.env.SVC_SEED ?? ''}`;
    const size = { users: DECISIONS / 2.5, decisions: DECISIONS, events: DECISIONS, guards: true };
    const makeDatabase = await databasesOn(engine);
    const [killed, whole] = [await makeDatabase(), await makeDatabase()];
    const program = await killable<{ done: number }>(join(ROOT, 'test/support/goals/world-program.ts'));
    onTestFinished(() => program.release());
    for (const database of [killed, whole]) await migrateStore(database, systemClock);
    const random = seededRandom(`kills ${seed}`);
    const done: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      done.push((await program.start({ database: killed, seed, size })).done);
      await new Promise((resolve) => setTimeout(resolve, 1500 * random()));
      await program.kill();
    }
    for (const database of [killed, whole]) {
      await program.start({ database, seed, size });
      await program.ended();
      expect((await program.start({ database, seed, size })).done).toBe([...opsOf(seed, size)].length);
      await program.ended();
    }
    const [is, should] = [await stateOf(killed), await stateOf(whole)];
    const taken = should.guard!.filter((row) => !row.includes('"removed_ms":null')).length;
    console.log(
      JSON.stringify({
        engine,
        ...size,
        kills: KILLS,
        during: new Set(done).size,
        guards: should.guard!.length,
        taken,
      }),
    );
    for (const table of Object.keys(TABLES)) expect(is[table], table).toEqual(should[table]);
    expect(taken).toBeGreaterThan(0);
  },
);
