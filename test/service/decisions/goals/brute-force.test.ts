import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { seededRandom } from '../../../../src/kit/random.ts';
import { createWorkspaceRows } from '../../../../src/service/admin/create-workspace.ts';
import { connectStore } from '../../../../src/service/platform/open.ts';
import { bruteForce } from '../../../support/goals/brute-force.ts';
import { differences } from '../../../support/goals/compare.ts';
import { opsOf, WORKSPACE, WorldInStore } from '../../../support/goals/world.ts';
import { freshDatabase } from '../../../support/postgres/database.ts';
import { tempDir } from '../../../support/temp.ts';

test('decisions earn what a comparison of every event with every decision says', {
  timeout: 240_000,
}, async () => {
  const seed = String(fc.readConfigureGlobal().seed);
  const ops = [...opsOf(seed, { users: 6, decisions: 200, events: 800 })];
  const store = await connectStore(await freshDatabase(tempDir()), systemClock);
  onTestFinished(() => store.close());
  await store.write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'test' }));
  const world = new WorldInStore();
  const random = seededRandom(`kills ${seed}`);
  for (const op of ops) {
    // A transaction that does not end leaves nothing, as when the process was killed.
    if (random() < 0.2)
      await store
        .write(async (tx) => {
          await world.apply(tx, op);
          throw new Error('killed');
        })
        .catch((error) => expect(String(error)).toMatch(/killed/));
    await store.write((tx) => world.apply(tx, op), { durable: false });
  }
  const end = ops.at(-1)!.now + 86_400_000;
  for (let more = true; more; ) more = await store.write((tx) => world.finish(tx, end), { durable: false });
  const expected = bruteForce(ops);
  expect(expected.values.size).toBeGreaterThan(60);
  expect(await differences(store, expected)).toEqual([]);
});
