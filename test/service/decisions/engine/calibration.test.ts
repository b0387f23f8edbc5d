import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { Calibration } from '../../../../src/service/decisions/engine/linear.ts';

/** Teaches responses to evenly spread predictions, with this chance of a response. */
function teach(
  calibration: Calibration,
  chance: (predicted: number) => number,
  decisions: number,
  seed: string,
): Calibration {
  const random = seededRandom(seed);
  for (let i = 0; i < decisions; i++) {
    const predicted = random();
    calibration.learn(predicted, Number(random() < chance(predicted)));
  }
  return calibration;
}

describe('the calibration of the linear experts', () => {
  test('takes predictions as they are before anything is learned, within a probability', () => {
    const fresh = new Calibration();
    for (const predicted of [0.02, 0.3, 0.98]) expect(fresh.probability(predicted)).toBe(predicted);
    expect([-1e9, 0, 1, 1e9].map((predicted) => fresh.probability(predicted))).toEqual([
      0.02, 0.02, 0.98, 0.98,
    ]);
  });

  test.each([
    ['too far apart', (predicted: number) => 0.7 + 0.2 * predicted],
    ['too high', (predicted: number) => 0.6 * predicted],
    ['right', (predicted: number) => predicted],
  ])('learns that predictions are %s', (_, chance) => {
    const learned = teach(new Calibration(), chance, 10_000, 'learned');
    for (const predicted of [0.3, 0.5, 0.8])
      expect(Math.abs(learned.probability(predicted) - chance(predicted))).toBeLessThan(0.1);
  });

  test('follows experts that change', () => {
    const changed = teach(new Calibration(), () => 0.8, 20_000, 'before');
    teach(changed, () => 0.2, 4000, 'after');
    expect(Math.abs(changed.probability(0.5) - 0.2)).toBeLessThan(0.1);
  });

  test('knows the same of a response whether it came at once or later', () => {
    const [atOnce, late] = [new Calibration(), new Calibration()];
    const random = seededRandom('late');
    const decisions = Array.from({ length: 500 }, () => ({
      predicted: random(),
      response: Number(random() < 0.7),
    }));
    for (const { predicted, response } of decisions) {
      atOnce.learn(predicted, response);
      late.learn(predicted, 0);
    }
    for (const [i, { predicted, response }] of decisions.entries())
      late.correct(predicted, response, decisions.length - 1 - i);
    for (const predicted of [-0.5, 0.1, 0.5, 0.9, 1.5])
      expect(late.probability(predicted)).toBeCloseTo(atOnce.probability(predicted), 9);
  });
});
