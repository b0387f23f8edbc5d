import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { Normals, quantile } from '../../../../src/service/decisions/engine/normals.ts';
import { explorationScale, propensitiesOf } from '../../../../src/service/decisions/engine/policy.ts';

const score = (mean: number, variance: number, category = 'any', responseValue = 1) => ({
  category,
  shared: { mean: 0, variance: 0.5 },
  own: { mean, variance },
  userVariance: 0,
  responseValue,
});

test('normal numbers have the moments, the tails and no repetitions', () => {
  const numbers = new Float64Array(200_000);
  new Normals(seededRandom('normals')).fill(numbers);
  const mean = (of: (x: number) => number) => numbers.reduce((sum, x) => sum + of(x), 0) / numbers.length;
  expect(mean((x) => x)).toBeCloseTo(0, 2);
  expect(mean((x) => x ** 2)).toBeCloseTo(1, 1.7);
  expect(mean((x) => x ** 4)).toBeCloseTo(3, 0.7);
  expect(Math.abs(mean((x) => +(Math.abs(x) > 1.96)) - 0.05)).toBeLessThan(0.002);
  expect(Math.abs(mean((x) => +(x > 3.2905)) - 0.0005)).toBeLessThan(0.00015);
  expect(new Set(numbers).size).toBeGreaterThan(199_900);
  expect(quantile(0.975)).toBeCloseTo(1.959963984540054, 7);
  expect(quantile(1e-6)).toBeCloseTo(-4.753424308822899, 6);
});

test('the propensity of two contents is the probability that one draw is higher', () => {
  // With a factor of (0.6 · √0.9)½ on the deviations: P(N(0.3, 0.569 · 0.8) > 0) for contents of one category.
  const [first] = propensitiesOf([score(0.3, 0.4), score(0, 0.4)], seededRandom('two'), 0, 100_000);
  expect(Math.abs(first! - 0.6717)).toBeLessThan(0.006);
  // In two categories the shared parts do not cancel: variance 0.569 · 1.8.
  const [apart] = propensitiesOf([score(0.3, 0.4, 'a'), score(0, 0.4, 'b')], seededRandom('two'), 0, 100_000);
  expect(Math.abs(apart! - 0.6165)).toBeLessThan(0.006);
});

test('what is well known is explored less, and a preference of one user even less', () => {
  const other = { ...score(0, 0), shared: { mean: 0, variance: 0 } };
  // The mean is one deviation lower in each case: the chance is that of a draw of 1 / factor deviations.
  const chanceOf = (variance: number, userVariance: number) => {
    const own = { mean: -Math.sqrt(variance), variance };
    return propensitiesOf([{ ...other, own, userVariance }, other], seededRandom('one'), 0, 20_000)[0]!;
  };
  expect(Math.abs(chanceOf(2, 0) - 0.1388)).toBeLessThan(0.008);
  expect(Math.abs(chanceOf(2, 2) - 0.0786)).toBeLessThan(0.006);
  expect(Math.abs(chanceOf(0.25, 0) - 0.0339)).toBeLessThan(0.004);
  expect(chanceOf(0.25, 0.25)).toBeLessThan(0.0005);
});

test('different responseValues give the same choice as comparing every value', () => {
  const scores = Array.from({ length: 40 }, (_, i) =>
    score((i % 7) / 20, 0.8 + (i % 3) / 5, `c${i % 4}`, 0.8 + (i % 11) / 55),
  );
  const draws = 4000;
  const found = propensitiesOf(scores, seededRandom('worths'), 0, draws);
  // The same numbers, without any shortcut; each content may win a draw here.
  const normals = new Normals(seededRandom('worths'));
  const drawn = new Float64Array(44);
  const wins = new Array<number>(40).fill(0);
  for (let draw = 0; draw < draws; draw++) {
    normals.fill(drawn);
    const values = scores.map(
      ({ own, shared, responseValue }, i) =>
        responseValue /
        (1 +
          Math.exp(
            -own.mean -
              explorationScale(Math.sqrt(shared.variance + own.variance)) *
                (Math.sqrt(shared.variance) * drawn[40 + (i % 4)]! + Math.sqrt(own.variance) * drawn[i]!),
          )),
    );
    wins[values.indexOf(Math.max(...values))]! += 1;
  }
  expect(found).toEqual(wins.map((won) => won / draws));
});

test('takes three numbers of the generator, however many contents there are', () => {
  const random = seededRandom('count');
  let taken = 0;
  const counted = () => {
    taken++;
    return random();
  };
  const propensities = propensitiesOf(
    Array.from({ length: 2000 }, (_, i) => score(0, 1, `c${i % 20}`)),
    counted,
  );
  expect(taken).toBe(3);
  expect(propensities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
  expect(Math.min(...propensities)).toBeGreaterThan(0);
});

test('candidates with one score win as often as if each were drawn', () => {
  const rival = score(1.5, 0.6, 'other');
  const one = score(0, 1);
  const alike = propensitiesOf([rival, ...Array(60).fill(one)], seededRandom('alike'), 0, 40_000);
  const apart = propensitiesOf(
    [rival, ...Array.from({ length: 60 }, () => ({ ...one }))],
    seededRandom('apart'),
    0,
    40_000,
  );
  expect(alike[0]).toBeGreaterThan(0.2);
  expect(Math.abs(alike[0]! - apart[0]!)).toBeLessThan(0.015);
  for (const p of alike.slice(1)) expect(Math.abs(p - (1 - alike[0]!) / 60)).toBeLessThan(0.004);
});
