import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type GroupSums,
  gainOf,
  isAhead,
} from '../../../../src/service/decisions/goals/rules/gain-interval.ts';
import { isEverClaimed, SAME_WORLDS } from '../../../support/goals/same-worlds.ts';

/** A group of users with one decision each. */
const group = fc
  .record({ served: fc.integer({ min: 1, max: 100_000 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ served, share }): GroupSums => {
    const value = Math.floor(served * share);
    return { served, value, squares: value, most: value > 0 ? 1 : 0 };
  });

test('the interval holds the gain, says the same of exchanged groups, and agrees with what is ahead', () => {
  fc.assert(
    fc.property(group, group, fc.double({ min: 0, max: 1, noNaN: true }), (learned, holdout, margin) => {
      const { gain, low, high } = gainOf(learned, holdout)!;
      expect(gain).toBeCloseTo(learned.value / learned.served - holdout.value / holdout.served, 9);
      expect(low).toBeLessThanOrEqual(gain);
      expect(high).toBeGreaterThanOrEqual(gain);
      const exchanged = gainOf(holdout, learned)!;
      expect([-exchanged.high, -exchanged.low]).toEqual([expect.closeTo(low, 6), expect.closeTo(high, 6)]);
      if (Math.abs(low - margin) > 1e-6) expect(isAhead(learned, holdout, margin)).toBe(low > margin);
      if (Math.abs(high + margin) > 1e-6) expect(isAhead(holdout, learned, margin)).toBe(high < -margin);
    }),
  );
});

test('with ten times the decisions, the interval is narrower; without both groups, there is none', () => {
  fc.assert(
    fc.property(group, group, (learned, holdout) => {
      const times = ({ served, value, squares, most }: GroupSums) => ({
        served: 10 * served,
        value: 10 * value,
        squares: 10 * squares,
        most,
      });
      const [few, many] = [gainOf(learned, holdout)!, gainOf(times(learned), times(holdout))!];
      expect(many.high - many.low).toBeLessThanOrEqual(few.high - few.low);
      expect(gainOf(learned, { ...holdout, served: 0 })).toBeNull();
      expect(gainOf({ ...learned, served: 0 }, holdout)).toBeNull();
    }),
  );
});

test('a gain of 2 points is found in 40,000 decisions with a holdout group of a tenth', () => {
  const sums = (served: number, rate: number) => ({
    served,
    value: served * rate,
    squares: served * rate,
    most: 1,
  });
  expect(isAhead(sums(36_000, 0.05), sums(4_000, 0.03), 0)).toBe(true);
  expect(isAhead(sums(3_600, 0.05), sums(400, 0.03), 0)).toBe(false);
  // 1.96 standard errors, which an interval for one look would call a gain.
  expect(isAhead(sums(36_000, 0.037), sums(4_000, 0.03), 0)).toBe(false);
});

test.each(SAME_WORLDS)('$name: of 40 worlds without a gain, at most two are said to have one', (world) => {
  const claimed = Array.from({ length: 40 }, (_, seed) => isEverClaimed(world, 1_500, `${seed}`));
  expect(claimed.filter(Boolean).length).toBeLessThanOrEqual(2);
});
