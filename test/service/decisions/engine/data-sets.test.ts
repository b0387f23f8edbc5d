import { expect, test } from 'vitest';
import { bandit, mostFrequent, readDataSet } from '../../../../bench/bakeoff/data-set.ts';
import { engine } from '../../../../bench/field/engine.ts';
import { play } from '../../../../bench/field/run.ts';

// Four numbers, and six words of few values. A choice at random gets 0.5 and 0.25, the most frequent class 0.56 and 0.70.
test.each([
  ['banknote', 0.9],
  ['car', 0.76],
])('on the public set %s the mean reward over one pass is above %d', async (name, goal) => {
  const set = readDataSet(`test/fixtures/data-sets/${name}.csv`);
  const world = bandit(set, { seed: 'order 1', rounds: 8000, late: 0, permute: false });
  const { reward } = await play(world, 'order 1', engine('order 1', world));
  expect(reward).toBeGreaterThan(goal);
  expect(reward).toBeGreaterThan(mostFrequent(set));
});
