import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { EXPLORATION_SHARE } from '../../../../src/service/catalog/placement.ts';
import { decide } from '../../../../src/service/decisions/engine/decide.ts';
import { packFeatures, unpackFeatures } from '../../../../src/service/decisions/engine/features.ts';
import { judge } from '../../../../src/service/decisions/engine/judge.ts';
import { fold, type RewardEntry } from '../../../../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../../../../src/service/decisions/engine/model.ts';
import { content, entry, situation } from './situations.ts';

const CONTENTS = ['a', 'b', 'c', 'd'].map((id) => content(id));

/** Decisions as the service logs them, of users whose traits matter (`effect`) or do not, and the reward log that they leave. */
function logOf(decisions: number, effect: number) {
  const random = seededRandom(`effect ${effect}`);
  const model = emptyModel();
  const rewards: RewardEntry[] = [];
  const log = Array.from({ length: decisions }, (_, i) => {
    const right = Math.floor(random() * CONTENTS.length);
    const person = { traits: { plan: `plan ${right}`, age: 20 + 10 * random() + right } };
    const { version } = model;
    const seed = `seed ${i}`;
    const { candidates, chosen, features } = decide(
      situation({ contents: CONTENTS, model, person, seed, user: `user ${i % 50}` }),
    );
    const chance = 0.3 + (chosen!.contentId === CONTENTS[right]!.contentId ? effect : 0);
    const reward = entry(chosen!.contentId, random() < chance ? 1 : 0, { features, user: `user ${i % 50}` });
    rewards.push(reward);
    fold(model, [reward]);
    return {
      version,
      seed,
      features: packFeatures(features),
      candidates,
      chosen: chosen!,
      isLinear: model.evidence.isLinear,
    };
  });
  return { log, rewards };
}

test.each([
  ['the linear expert', 0.6],
  ['a logistic variant', 0],
])('logged propensities follow from the reward log, the features and the seed: %s', (expert, effect) => {
  const { log, rewards } = logOf(400, effect);
  expect(log.at(-1)!.isLinear).toBe(expert === 'the linear expert');
  const model = emptyModel();
  for (const { version, seed, features, candidates } of log) {
    fold(model, rewards.slice(model.version, version));
    const user = `user ${version % 50}`;
    const again = judge(model, CONTENTS, unpackFeatures(features), user).propensities(seededRandom(seed));
    expect(again).toEqual(candidates.map(({ propensity }) => propensity));
    const least = EXPLORATION_SHARE / CONTENTS.length;
    expect(Math.min(...again)).toBeGreaterThanOrEqual(least * (1 - 1e-9));
    expect(again.reduce((sum, each) => sum + each)).toBeCloseTo(1, 12);
  }
});

test.each([0.6, 0])(
  'actions follow their logged propensities, rare and frequent ones (χ², effect %d)',
  (effect) => {
    const bounds = [0, 0.006, 0.05, 0.2, 0.5, 0.9];
    const groups = bounds.map(() => ({ expected: 0, observed: 0, variance: 0 }));
    for (const { candidates, chosen } of logOf(1500, effect).log)
      for (const candidate of candidates) {
        const { propensity } = candidate;
        const group = groups[bounds.findLastIndex((bound) => propensity >= bound)]!;
        group.expected += propensity;
        group.variance += propensity * (1 - propensity);
        if (candidate === chosen) group.observed++;
      }
    // Of six groups, none of which is certain: the 99.9 % point of χ² with six degrees of freedom.
    const used = groups.filter(({ variance }) => variance > 3);
    expect(used.length).toBeGreaterThanOrEqual(2);
    const statistic = used.reduce(
      (sum, { expected, observed, variance }) => sum + (observed - expected) ** 2 / variance,
      0,
    );
    expect(statistic).toBeLessThan(22.46);
  },
);
