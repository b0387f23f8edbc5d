import { expect, test } from 'vitest';
import { Resampling } from '../../../src/features/evaluation/bootstrap.ts';
import { Evaluator } from '../../../src/features/evaluation/estimators.ts';
import type { LoggedDecision } from '../../../src/features/evaluation/logged-decision.ts';
import { best, type Policy, running, uniform, weighted } from '../../../src/features/evaluation/policies.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { sample } from '../../../src/service/decisions/engine/policy.ts';

const judge = (policy: Policy, log: LoggedDecision[]) => {
  const evaluator = new Evaluator(policy);
  for (const decision of log) evaluator.add(decision);
  return evaluator.result()!;
};

const two = (propensity: number, rankings: [number, number], chosen: number, reward: number) => ({
  candidates: [
    { contentId: 'a', propensity, ranking: rankings[0] },
    { contentId: 'b', propensity: 1 - propensity, ranking: rankings[1] },
  ],
  chosen,
  reward,
});

/**
 * Worked by hand. Candidates A and B; the log:
 *   1. p = (0.8, 0.2), q = (0.5, 0.25), A chosen, reward 1
 *   2. p = (0.5, 0.5), q = (0.5, 0.75), B chosen, reward 0
 *   3. p = (0.8, 0.2), q = (0.5, 0.25), B chosen, reward 0.6
 */
const LOG = [two(0.8, [0.5, 0.25], 0, 1), two(0.5, [0.5, 0.75], 1, 0), two(0.8, [0.5, 0.25], 1, 0.6)];

test('uniform: weights 0.625, 1, 2.5', () => {
  const { decisions, effective, ips, snips, dr } = judge(uniform, LOG);
  const ten = judge(uniform, Array(10).fill(LOG).flat());
  expect(decisions).toBe(3);
  // (0.625 + 0 + 1.5) / 3
  expect(ips.mean).toBeCloseTo(2.125 / 3, 12);
  // 4.125² / (0.625² + 1 + 2.5²)
  expect(effective).toBeCloseTo(17.015625 / 7.640625, 12);
  // variance of ten times 0.625, 0, 1.5 is 11.3541666… / 29; standard error sqrt(0.3915230 / 30) = 0.1142399
  expect(ten.ips.high - ten.ips.mean).toBeCloseTo(1.959963984540054 * 0.1142399, 6);
  // For three decisions the normal interval leaves the range of a reward.
  expect([ips.low, ips.high]).toEqual([0, 1]);
  // 2.125 / 4.125
  expect(snips.mean).toBeCloseTo(0.51515151515, 10);
  // sqrt((0.625 × 0.484848)² + (1 × -0.515152)² + (2.5 × 0.084848)²) / 4.125 = sqrt(0.402203) / 4.125
  const width = (1.959963984540054 * Math.sqrt(0.4022038)) / 4.125 / Math.sqrt(10);
  expect(ten.snips.mean - ten.snips.low).toBeCloseTo(width, 6);
  // 0.375 + 0.625 × 0.5 = 0.6875;  0.625 + 1 × -0.75 = -0.125;  0.375 + 2.5 × 0.35 = 1.25
  expect(dr!.mean).toBeCloseTo(1.8125 / 3, 12);
});

test('always best: weights 1.25, 2, 0', () => {
  const { ips, snips, dr } = judge(best, LOG);
  expect(ips.mean).toBeCloseTo(1.25 / 3, 12);
  expect(snips.mean).toBeCloseTo(1.25 / 3.25, 12);
  // 0.5 + 1.25 × 0.5 = 1.125;  0.75 + 2 × -0.75 = -0.75;  0.5 + 0
  expect(dr!.mean).toBeCloseTo(0.875 / 3, 12);
});

test('the running policy: the mean reward', () => {
  const { ips, snips } = judge(running, LOG);
  expect(ips.mean).toBeCloseTo(1.6 / 3, 12);
  expect(snips.mean).toBeCloseTo(1.6 / 3, 12);
});

test('candidates that the log summarizes count as if they were listed', () => {
  const named = [
    { contentId: 'a', propensity: 0.7, ranking: 0.5 },
    { contentId: 'b', propensity: 0.1, ranking: 0.2 },
    { contentId: 'c', propensity: 0.2, ranking: 0.1 },
  ];
  const rest = [named[1]!, named[2]!];
  const others = { count: 2, ranking: 0.15, expected: 0.04 };
  expect(others.expected).toBeCloseTo(
    rest.reduce((sum, c) => sum + c.propensity * c.ranking, 0),
    12,
  );
  for (const policy of [running, uniform, best, weighted(new Map([['a', 3]]))]) {
    const [whole, short] = [new Evaluator(policy), new Evaluator(policy)];
    whole.add({ candidates: named, chosen: 0, reward: 0.6 });
    short.add({ candidates: [named[0]!], chosen: 0, reward: 0.6, others });
    for (const estimator of ['ips', 'snips', 'dr'] as const)
      expect(short.result()![estimator]!.mean, estimator).toBeCloseTo(whole.result()![estimator]!.mean, 12);
  }
});

test('bootstrap intervals are as wide as normal ones on a large log', () => {
  const random = seededRandom('bootstrap');
  const resampling = new Resampling(400, random);
  const [normal, drawn] = [new Evaluator(uniform), new Evaluator(uniform, { replicates: 400 })];
  for (let i = 0; i < 3000; i++) {
    const [chosen, ranking] = [random() < 0.8 ? 0 : 1, 0.3] as const;
    const decision = two(0.8, [ranking, ranking], chosen, random() < 0.3 ? 1 : 0);
    normal.add(decision);
    drawn.add(decision, resampling.next());
  }
  for (const estimator of ['ips', 'snips', 'dr'] as const) {
    const [a, b] = [normal.result()![estimator]!, drawn.result()![estimator]!];
    expect(b.mean).toBe(a.mean);
    expect((b.high - b.low) / (a.high - a.low), estimator).toBeGreaterThan(0.85);
    expect((b.high - b.low) / (a.high - a.low), estimator).toBeLessThan(1.15);
  }
});

test('intervals stay within the range of a reward that is not 0 to 1', () => {
  const evaluator = new Evaluator(running, { range: { low: -10, high: 250 } });
  for (const reward of [200, -10]) evaluator.add(two(0.5, [0, 0], 0, reward));
  expect(evaluator.result()!.ips).toEqual({ mean: 95, low: -10, high: 250 });
});

test('an empty log gives no estimate', () => {
  expect(new Evaluator(uniform).result()).toBeNull();
});

test('the intervals contain the true value in at least 90 of 100 synthetic logs', () => {
  const actions = 6;
  const rounds = 2000;
  const covered = { uniform: { ips: 0, snips: 0, dr: 0 }, best: { ips: 0, snips: 0, dr: 0 } };
  for (let seed = 0; seed < 100; seed++) {
    const random = seededRandom(`log ${seed}`);
    const chances = Array.from({ length: actions }, () => 0.05 + 0.5 * random());
    const evaluators = { uniform: new Evaluator(uniform), best: new Evaluator(best) };
    const truth = { uniform: 0, best: 0 };
    for (let round = 0; round < rounds; round++) {
      // Predictions are off by a fifth of the truth either way, and the policy leans towards what it predicts.
      const rankings = chances.map((chance) => chance * (0.8 + 0.4 * random()));
      const total = rankings.reduce((sum, ranking) => sum + ranking ** 2, 0);
      const candidates = rankings.map((ranking, i) => ({
        contentId: String(i),
        ranking,
        propensity: 0.98 * (ranking ** 2 / total) + 0.02 / actions,
      }));
      const chosen = sample(
        candidates.map((candidate) => candidate.propensity),
        random,
      );
      const reward = random() < chances[chosen]! ? 1 : 0;
      for (const policy of ['uniform', 'best'] as const) {
        evaluators[policy].add({ candidates, chosen, reward });
        const { chances: target } = (policy === 'uniform' ? uniform : best)({ candidates, chosen, reward })!;
        truth[policy] += target.reduce((sum, p, i) => sum + p * chances[i]!, 0) / rounds;
      }
    }
    for (const policy of ['uniform', 'best'] as const) {
      const result = evaluators[policy].result()!;
      for (const estimator of ['ips', 'snips', 'dr'] as const) {
        const { low, high } = result[estimator]!;
        if (low <= truth[policy] && truth[policy] <= high) covered[policy][estimator]++;
      }
    }
  }
  for (const policy of Object.values(covered))
    for (const count of Object.values(policy)) expect(count).toBeGreaterThanOrEqual(90);
});
