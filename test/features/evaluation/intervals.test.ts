import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Evaluator } from '../../../src/features/evaluation/estimators.ts';
import type { LoggedDecision, Range } from '../../../src/features/evaluation/logged-decision.ts';
import { always, best, running, uniform, weighted } from '../../../src/features/evaluation/policies.ts';

const ESTIMATORS = ['ips', 'snips', 'dr'] as const;

/** Random logs, short and of any kind: rare actions, wrong and missing rankings, candidates that are not named, one outcome for all. */
const logs = fc
  .record({
    range: fc.constantFrom<Range>({ low: 0, high: 1 }, { low: -2, high: 3 }, { low: 1, high: 2 }),
    decisions: fc.array(
      fc.record({
        shares: fc.array(fc.constantFrom(1, 2, 10, 1000), { minLength: 1, maxLength: 5 }),
        rankings: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }),
        chosen: fc.nat(4),
        reward: fc.constantFrom(0, 0, 0, 0.2, 0.6, 1, 1),
        unnamed: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    ),
    hasRankings: fc.boolean(),
  })
  .map(({ range, decisions, hasRankings }) => {
    const within = (share: number) => range.low + share * (range.high - range.low);
    const log = decisions.map(({ shares, rankings, chosen, reward, unnamed }): LoggedDecision => {
      const total = shares.reduce((sum, share) => sum + share, 0);
      const all = shares.map((share, i) => ({
        contentId: String(i),
        propensity: share / total,
        ranking: hasRankings ? within(rankings[i]!) : Number.NaN,
      }));
      const candidates = unnamed ? all.slice(0, Math.max(1, all.length - 1)) : all;
      const rest = all.slice(candidates.length);
      const [left] = rest;
      return {
        candidates,
        chosen: chosen % candidates.length,
        reward: within(reward),
        ...(left
          ? { others: { count: 1, ranking: left.ranking, expected: left.propensity * left.ranking } }
          : {}),
      };
    });
    return { range, log };
  });

test('an interval holds its estimate, and both lie in the range of a reward', () => {
  fc.assert(
    fc.property(logs, fc.constantFrom(2, 8, 16_384), ({ range, log }, capacity) => {
      for (const policy of [
        running,
        uniform,
        best,
        always('0'),
        weighted(
          new Map([
            ['1', 3],
            ['2', 1],
          ]),
        ),
      ]) {
        const evaluator = new Evaluator(policy, range, capacity);
        for (const decision of log) evaluator.add(decision);
        const result = evaluator.result();
        for (const estimator of ESTIMATORS) {
          const estimate = result?.[estimator];
          if (!estimate) continue;
          const { mean, low, high } = estimate;
          const ascending = [range.low, low, mean, high, range.high];
          expect(ascending, estimator).toEqual([...ascending].sort((a, b) => a - b));
        }
      }
    }),
    { numRuns: 500 },
  );
});
