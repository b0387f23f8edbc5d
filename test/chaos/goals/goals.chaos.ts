import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { connectStore, migrateStore } from '../../../src/service/platform/open.ts';
import { bruteForce } from '../../support/goals/brute-force.ts';
import { differences } from '../../support/goals/compare.ts';
import { opsOf } from '../../support/goals/world.ts';
import { databaseOn, ENGINES } from '../../support/postgres/engines.ts';
import { killable } from '../../support/process/killable.ts';
import { ROOT } from '../../support/process/run-svc.ts';

/** SVC_GOALS_EVENTS overrides the number of events; there is a decision for each ten. */
const EVENTS = Number(process.env.SVC_GOALS_EVENTS ?? 1_000_000);
const KILLS = Number(process.env.SVC_GOALS_KILLS ?? 100);

test.each(ENGINES)('%s: goals count exactly through kills', { timeout: 4 * 3600_000 }, async (engine) => {
  const seed = `goals ${process.env.SVC_SEED ?? ''}`;
  const size = { users: EVENTS / 200, decisions: EVENTS / 10, events: EVENTS };
  const database = await databaseOn(engine);
  await migrateStore(database, systemClock);
  const program = await killable<{ done: number }>(join(ROOT, 'test/support/goals/world-program.ts'));
  onTestFinished(() => program.release());
  const random = seededRandom(`kills ${seed}`);
  for (let kill = 0; kill < KILLS; kill++) {
    await program.start({ database, seed, size });
    await new Promise((resolve) => setTimeout(resolve, 2000 * random()));
    await program.kill();
  }
  await program.start({ database, seed, size });
  await program.ended();
  const expected = bruteForce(opsOf(seed, size));
  const store = await connectStore(database, systemClock);
  onTestFinished(() => store.close());
  const found = await differences(store, expected);
  console.log(
    JSON.stringify({
      engine,
      ...size,
      kills: KILLS,
      earned: expected.values.size,
      differences: found.length,
    }),
  );
  expect(found).toEqual([]);
});
