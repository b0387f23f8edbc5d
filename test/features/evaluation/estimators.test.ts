import { expect, test } from 'vitest';
import { Evaluator } from '../../../src/features/evaluation/estimators.ts';
import type { LoggedDecision } from '../../../src/features/evaluation/logged-decision.ts';
import {
  always,
  best,
  type Policy,
  running,
  uniform,
  weighted,
} from '../../../src/features/evaluation/policies.ts';
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
  const { decisions, effective, ips, snips, dr, dm } = judge(uniform, LOG);
  expect(decisions).toBe(3);
  // (0.625 + 0 + 1.5) / 3
  expect(ips.mean).toBeCloseTo(2.125 / 3, 12);
  // 4.125² / (0.625² + 1 + 2.5²)
  expect(effective).toBeCloseTo(17.015625 / 7.640625, 12);
  // 2.125 / 4.125
  expect(snips.mean).toBeCloseTo(0.51515151515, 10);
  // 0.375 + 0.625 × 0.5 = 0.6875;  0.625 + 1 × -0.75 = -0.125;  0.375 + 2.5 × 0.35 = 1.25
  expect(dr!.mean).toBeCloseTo(1.8125 / 3, 12);
  // 0.375, 0.625, 0.375
  expect(dm!.mean).toBeCloseTo(1.375 / 3, 12);
});

test('on a large log without rare weights the intervals are the normal ones', () => {
  const { ips, snips } = judge(uniform, Array(2000).fill(LOG).flat());
  // The variance of 0.625, 0, 1.5 is 1.1354166… / 3.
  const ofMean = Math.sqrt(0.378472222 / 6000);
  expect((ips.high - ips.mean) / (1.959963984540054 * ofMean)).toBeCloseTo(1, 1);
  // sqrt((0.625 × 0.484848)² + (1 × -0.515152)² + (2.5 × 0.084848)²) / 4.125 = sqrt(0.402203) / 4.125
  const ofRatio = Math.sqrt(0.4022038) / 4.125 / Math.sqrt(2000);
  expect((snips.mean - snips.low) / (1.959963984540054 * ofRatio)).toBeCloseTo(1, 1);
});

test('the interval of a probability is that of the binomial likelihood with one more on the other side', () => {
  for (const [hits, all] of [
    [0, 40],
    [3, 40],
    [40, 40],
    [150, 300],
  ] as const) {
    const log = Array.from({ length: all }, (_, i) => two(0.5, [0, 0], 0, i < hits ? 1 : 0));
    const { low, high } = judge(running, log).ips;
    const term = (count: number, chance: number) =>
      count === 0 ? 0 : count * Math.log(count / ((all + 1) * chance));
    if (hits < all) expect(term(hits + 1, high) + term(all - hits, 1 - high)).toBeCloseTo(1.920729, 5);
    else expect(high).toBe(1);
    if (hits > 0) expect(term(hits, low) + term(all - hits + 1, 1 - low)).toBeCloseTo(1.920729, 5);
    else expect(low).toBe(0);
  }
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

test('an empty log gives no estimate', () => {
  expect(new Evaluator(uniform).result()).toBeNull();
});

test('the intervals hold the true value where a content other than the winner is rarely logged', () => {
  const contents = 10;
  const policies = { uniform, best, first: always('0') };
  const held: Record<string, number> = {};
  const logs = 60;
  const normal = { held: 0 };
  for (let seed = 0; seed < logs; seed++) {
    const random = seededRandom(`log ${seed}`);
    const evaluators = Object.values(policies).map((policy) => new Evaluator(policy));
    const weighted: number[] = [];
    for (let round = 0; round < 800; round++) {
      // One content of ten is right, mostly the winner. The rankings of the others are far too high.
      const right = Math.floor(random() * contents);
      const winner = random() < 0.85 ? right : Math.floor(random() * contents);
      const candidates = Array.from({ length: contents }, (_, i) => ({
        contentId: String(i),
        ranking: i === winner ? 0.8 : 0.3 * random(),
        propensity: 0.02 / contents + (i === winner ? 0.98 : 0),
      }));
      const chosen = sample(
        candidates.map((candidate) => candidate.propensity),
        random,
      );
      const reward = chosen === right ? 1 : 0;
      for (const evaluator of evaluators) evaluator.add({ candidates, chosen, reward });
      weighted.push(reward / contents / candidates[chosen]!.propensity);
    }
    const truths = { uniform: 0.1, best: 0.85 + 0.15 / contents, first: 0.1 };
    for (const [i, name] of (['uniform', 'best', 'first'] as const).entries()) {
      const result = evaluators[i]!.result()!;
      for (const estimator of ['ips', 'snips', 'dr'] as const) {
        const { low, high } = result[estimator]!;
        const key = `${name} ${estimator}`;
        held[key] = (held[key] ?? 0) + (low <= truths[name] && truths[name] <= high ? 1 : 0);
      }
      if (name !== 'first') expect(result.ips.high - result.ips.low).toBeLessThan(0.5);
    }
    const mean = weighted.reduce((sum, each) => sum + each, 0) / weighted.length;
    const variance = weighted.reduce((sum, each) => sum + (each - mean) ** 2, 0) / weighted.length;
    if (Math.abs(mean - 0.1) <= 1.96 * Math.sqrt(variance / weighted.length)) normal.held++;
  }
  for (const [key, count] of Object.entries(held)) expect(count / logs, key).toBeGreaterThanOrEqual(0.93);
  // What a normal interval makes of the same logs.
  expect(normal.held / logs).toBeLessThan(0.8);
});

test('what the log never chooses makes the intervals as much wider, or all of the range', () => {
  const never = (chance: number) =>
    Array.from({ length: 400 }, (_, i) => ({
      candidates: [
        { contentId: 'a', propensity: 1 - chance, ranking: 0.5 },
        { contentId: 'b', propensity: chance, ranking: 0.5 },
      ],
      chosen: 0,
      reward: i % 2,
    }));
  const a = judge(always('a'), never(0));
  const half = judge(uniform, never(0));
  const b = judge(always('b'), never(0));
  expect([a.unsupported, half.unsupported, b.unsupported]).toEqual([0, 0.5, 1]);
  expect(a.ips.high).toBeLessThan(0.56);
  // Between 0.25 (b earns nothing) and 0.75 (b earns 1).
  expect(half.ips.low).toBe(0);
  expect(half.ips.high).toBeGreaterThan(0.75);
  expect(b.ips).toEqual({ mean: 0, low: 0, high: 1 });
  expect(b.dr).toMatchObject({ low: 0, high: 1 });
});

test('a log of any length takes the same memory, with the same means and about the same intervals', () => {
  const random = seededRandom('long');
  const log = Array.from({ length: 3000 }, () =>
    two(0.9, [0.3, 0.2], random() < 0.9 ? 0 : 1, random() < 0.3 ? 1 : 0),
  );
  const [whole, short] = [new Evaluator(uniform), new Evaluator(uniform, { low: 0, high: 1 }, 64)];
  for (const decision of log) for (const evaluator of [whole, short]) evaluator.add(decision);
  for (const estimator of ['ips', 'snips', 'dr'] as const) {
    const [a, b] = [whole.result()![estimator]!, short.result()![estimator]!];
    expect(b.mean).toBeCloseTo(a.mean, 12);
    expect((b.high - b.low) / (a.high - a.low), estimator).toBeGreaterThan(0.7);
    expect((b.high - b.low) / (a.high - a.low), estimator).toBeLessThan(1.3);
  }
});
