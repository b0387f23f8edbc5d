import type { Random } from '../../../kit/random.ts';
import type { Belief } from './model.ts';

/** Share of every decision that is spread evenly over the candidates, so that each can be judged later. */
export const FLOOR = 0.02;

/** Posterior draws behind a propensity vector, and the fewest where there are very many candidates. */
export const DRAWS = 128;
const FEWEST_DRAWS = 16;
/** Most numbers drawn for one decision: some milliseconds of work. */
const MOST_NUMBERS = 256_000;

/**
 * The probability of choosing each candidate: how often it has the highest draw from its posterior (Thompson, 1933),
 * estimated from `DRAWS` draws (fewer for thousands of candidates), mixed with `FLOOR` of the uniform choice. Sums to 1. `random` decides all, so a
 * logged seed gives the vector again. Beliefs that are not finite numbers give the uniform choice: a broken model
 * must not break a decision.
 */
export function propensitiesOf(
  beliefs: readonly Belief[],
  random: Random,
  draws = drawsFor(beliefs.length),
): number[] {
  const count = beliefs.length;
  if (count === 0) return [];
  if (count === 1) return [1];
  const uniform = 1 / count;
  if (!beliefs.every(isSound)) return beliefs.map(() => uniform);
  const means = Float64Array.from(beliefs, (belief) => belief.mean);
  const deviations = Float64Array.from(beliefs, (belief) => Math.sqrt(belief.variance));
  const wins = new Float64Array(count);
  const normal = normals(random);
  for (let draw = 0; draw < draws; draw++) {
    let best = 0;
    let highest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const value = means[i]! + deviations[i]! * normal();
      if (value > highest) {
        highest = value;
        best = i;
      }
    }
    wins[best]! += 1;
  }
  return Array.from(wins, (won) => (1 - FLOOR) * (won / draws) + FLOOR * uniform);
}

const drawsFor = (candidates: number) =>
  Math.min(DRAWS, Math.max(FEWEST_DRAWS, Math.floor(MOST_NUMBERS / candidates)));

const isSound = (belief: Belief) =>
  Number.isFinite(belief.mean) && Number.isFinite(belief.variance) && belief.variance >= 0;

/** Index chosen with exactly these probabilities. The last one takes what rounding leaves. */
export function sample(propensities: readonly number[], random: Random): number {
  let left = random();
  for (let i = 0; i < propensities.length - 1; i++) {
    left -= propensities[i]!;
    if (left < 0) return i;
  }
  return propensities.length - 1;
}

/** Standard normal numbers in pairs (Marsaglia's polar method). */
function normals(random: Random): () => number {
  let spare = 0;
  let has = false;
  return () => {
    if (has) {
      has = false;
      return spare;
    }
    for (;;) {
      const u = 2 * random() - 1;
      const v = 2 * random() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(s)) / s);
      spare = v * scale;
      has = true;
      return u * scale;
    }
  };
}
