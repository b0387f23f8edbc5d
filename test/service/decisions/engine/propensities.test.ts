import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { EXPLORATION_SHARE } from '../../../../src/service/catalog/placement.ts';
import { decide } from '../../../../src/service/decisions/engine/decide.ts';
import { packFeatures, unpackFeatures } from '../../../../src/service/decisions/engine/features.ts';
import { judge } from '../../../../src/service/decisions/engine/judge.ts';
import { fold, type RewardEntry } from '../../../../src/service/decisions/engine/learning.ts';
import { upperBound } from '../../../../src/service/decisions/engine/linear.ts';
import { emptyModel, responseValueOf } from '../../../../src/service/decisions/engine/model.ts';
import { content, entry, situation } from './situations.ts';

const CONTENTS = ['a', 'b', 'c', 'd'].map((id) => content(id));

/**
 * Decisions as the service logs them, of users for whom a trait tells which content is the best, or who have one that is their
 * own; and the reward log that they leave.
 */
function logOf(decisions: number, by: 'a trait' | 'the user') {
  const random = seededRandom(`best by ${by}`);
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
    const best = by === 'a trait' ? right : (i % 50) % CONTENTS.length;
    const chance = 0.3 + (chosen!.contentId === CONTENTS[best]!.contentId ? 0.6 : 0);
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
  ['the linear expert', 'a trait'],
  ['a logistic variant', 'the user'],
] as const)('logged propensities follow from the reward log, the features and the seed: %s', (expert, by) => {
  const { log, rewards } = logOf(600, by);
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

test.each(['a trait', 'the user'] as const)(
  'actions follow their logged propensities, rare and frequent ones (χ², the best by %s)',
  (by) => {
    const bounds = [0, 0.006, 0.05, 0.2, 0.5, 0.9];
    const groups = bounds.map(() => ({ expected: 0, observed: 0, variance: 0 }));
    for (const { candidates, chosen } of logOf(1500, by).log)
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

test('the two highest bounds of many contents are exact, and no other is above them', () => {
  const random = seededRandom('many contents');
  const contents = Array.from({ length: 40 }, (_, i) => content(`content ${i}`));
  const model = emptyModel();
  const seen = { exact: 0, above: 0 };
  for (let round = 0; round < 2000; round++) {
    const plan = Math.floor(4 * random());
    const person = { traits: { plan: `plan ${plan}`, age: 20 + 40 * random() } };
    const decided = situation({ contents, model, person, seed: `seed ${round}`, user: null });
    const { chosen, features } = decide(decided);
    const isBest = contents.findIndex(({ contentId }) => contentId === chosen!.contentId) % 4 === plan;
    fold(model, [entry(chosen!.contentId, random() < (isBest ? 0.9 : 0.05) ? 1 : 0, { features })]);
    if (!model.evidence.isLinear || model.contents.size < contents.length) continue;
    const x = model.encode(features);
    const exact = contents.map(({ contentId }) => {
      const known = model.contents.get(contentId)!;
      return responseValueOf(model, known) * upperBound(known.linear.believe(x));
    });
    const { scores } = judge(model, contents, features, null);
    const twoHighest = (bounds: readonly number[]) =>
      [...bounds.entries()].sort((a, b) => b[1] - a[1]).slice(0, 2);
    expect(twoHighest(scores)).toEqual(twoHighest(exact));
    for (const [i, bound] of exact.entries()) seen[scores[i] === bound ? 'exact' : 'above']++;
  }
  // Both occur, so that what is left out was left out rightly.
  expect(seen.exact).toBeGreaterThan(0);
  expect(seen.above).toBeGreaterThan(seen.exact);
});
