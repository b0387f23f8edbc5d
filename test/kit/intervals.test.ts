import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meanOf, rateOf } from '../../src/kit/intervals.ts';
import { seededRandom } from '../../src/kit/random.ts';

const WORLDS = 300;
const AMOUNTS = {
  quarters: { mean: 0.25, draw: () => 0.25 },
  even: { mean: 0.5, draw: (random: () => number) => random() },
  // Most are small, a few are large: with few values, none of these may be among them.
  skewed: { mean: 0.145, draw: (random: () => number) => (random() < 0.1 ? 1 : 0.1 * random()) },
};

test.each([
  ['quarters', 0.03, 300],
  ['quarters', 0.3, 60],
  ['even', 0.03, 300],
  ['even', 0.3, 60],
  ['skewed', 0.01, 500],
  ['skewed', 0.03, 300],
  ['skewed', 0.3, 60],
] as const)('%s in %f of %i decisions: the interval holds the mean', (kind, rate, n) => {
  const { mean, draw } = AMOUNTS[kind];
  const random = seededRandom(`${kind} ${rate} ${n}`);
  let held = 0;
  for (let world = 0; world < WORLDS; world++) {
    const values = Array.from({ length: n }, () => (random() < rate ? draw(random) : 0));
    const [sum, squares] = [1, 2].map((power) => values.reduce((total, value) => total + value ** power, 0));
    const { low, high } = meanOf({ n, sum: sum!, squares: squares! })!;
    if (low <= rate * mean && rate * mean <= high) held++;
  }
  expect(held / WORLDS).toBeGreaterThan(0.92);
});

test('values of 0 and 1 have the interval of a share, and nothing has none', () => {
  for (const [hits, n] of [
    [0, 5],
    [3, 40],
    [40, 40],
  ] as const) {
    const { rate, low, high } = rateOf(hits, n)!;
    const mean = meanOf({ n, sum: hits, squares: hits })!;
    expect(mean.rate).toBe(hits / n);
    expect(mean.rate).toBeCloseTo(rate, 9);
    expect(mean.low).toBeCloseTo(low, 9);
    expect(mean.high).toBeCloseTo(high, 9);
  }
  expect(meanOf({ n: 0, sum: 0, squares: 0 })).toBeNull();
});

test('a mean has both ends of its interval, also of sums that no values have', () => {
  const number = fc.double({ min: -20, max: 20, noNaN: true });
  const sums = fc.oneof(fc.constantFrom(-2, 0, 1, 1.000001, 2), number);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), sums, sums, (n, sum, squares) => {
      const { rate, low, high } = meanOf({ n, sum, squares })!;
      expect(low).toBeLessThanOrEqual(rate);
      expect(high).toBeGreaterThanOrEqual(rate);
      expect(Math.min(low, 1 - high)).toBeGreaterThanOrEqual(0);
    }),
  );
});
