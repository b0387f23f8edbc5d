import type { Random } from '../../../kit/random.ts';
import type { Belief } from './block.ts';
import type { Score } from './reader.ts';

/** Share of the probability that is spread evenly over the candidates, so that each can be evaluated later. */
export const FLOOR = 0.02;

/** Posterior draws behind a propensity vector, and the fewest where there are very many candidates. */
const DRAWS = 128;
const FEWEST_DRAWS = 16;
/** Most numbers drawn for one decision: some milliseconds of work. */
const MOST_NUMBERS = 256_000;

/** Factor on the deviations that are drawn from: a little greedier than Thompson sampling, which overexplores. */
const BOLDNESS = 0.75;

/**
 * The probability of choosing each candidate: how often it has the highest draw from its posterior (Thompson, 1933),
 * estimated from `draws` draws (fewer for thousands of candidates), mixed with `floor` of the uniform choice. Contents of one category share a draw of
 * what they have in common. Sums to 1. `random` is the only source of randomness, so a logged seed reproduces the vector. Scores that
 * are not finite numbers give the uniform choice: a broken model must not break a decision.
 */
export function propensitiesOf(
  scores: readonly Score[],
  random: Random,
  floor = FLOOR,
  draws = drawsFor(scores.length),
): number[] {
  const count = scores.length;
  if (count === 0) return [];
  if (count === 1) return [1];
  const uniform = 1 / count;
  if (!scores.every(({ shared, own }) => isSound(shared) && isSound(own))) return scores.map(() => uniform);
  const categories = new Map<string, number>();
  const shared: number[] = [];
  const groups = Int32Array.from(scores, (score) => {
    let group = categories.get(score.category);
    if (group === undefined) {
      group = shared.length;
      categories.set(score.category, group);
      shared.push(BOLDNESS * Math.sqrt(score.shared.variance));
    }
    return group;
  });
  const means = Float64Array.from(scores, ({ shared, own }) => shared.mean + own.mean);
  const deviations = Float64Array.from(scores, ({ own }) => BOLDNESS * Math.sqrt(own.variance));
  const worths = Float64Array.from(scores, ({ worth }) => worth);
  const sameWorth = worths.every((worth) => worth === worths[0]);
  const running = inTheRunning(means, deviations, groups, shared, worths);
  const drawn = new Float64Array(shared.length);
  const wins = new Float64Array(count);
  const normal = normals(random);
  for (let draw = 0; draw < draws; draw++) {
    for (let group = 0; group < drawn.length; group++) drawn[group] = shared[group]! * normal();
    let best = running[0]!;
    let highest = Number.NEGATIVE_INFINITY;
    for (const i of running) {
      const score = means[i]! + drawn[groups[i]!]! + deviations[i]! * normal();
      const value = sameWorth ? score : worths[i]! / (1 + Math.exp(-score));
      if (value > highest) {
        highest = value;
        best = i;
      }
    }
    wins[best]! += 1;
  }
  return Array.from(wins, (won) => (1 - floor) * (won / draws) + floor * uniform);
}

/** Deviations beyond which draws are ignored: about one in 2,000. */
const FAR = 3.3;

/** The candidates that can win a draw; with many contents, most cannot and need no draws. */
function inTheRunning(
  means: Float64Array,
  deviations: Float64Array,
  groups: Int32Array,
  shared: readonly number[],
  worths: Float64Array,
): Int32Array {
  const value = (i: number, deviation: number) => worths[i]! / (1 + Math.exp(-(means[i]! + deviation)));
  const spread = (i: number) => Math.hypot(deviations[i]!, shared[groups[i]!]!);
  let bar = 0;
  for (let i = 0; i < means.length; i++) bar = Math.max(bar, value(i, -spread(i)));
  const all = Int32Array.from(means, (_, i) => i);
  return all.filter((i) => value(i, FAR * spread(i)) >= bar);
}

const drawsFor = (candidates: number) =>
  Math.min(DRAWS, Math.max(FEWEST_DRAWS, Math.floor(MOST_NUMBERS / candidates)));

const isSound = (belief: Belief) =>
  Number.isFinite(belief.mean) && Number.isFinite(belief.variance) && belief.variance >= 0;

/** Draws an index with exactly these probabilities. The last one absorbs rounding errors. */
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
