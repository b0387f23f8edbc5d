import type { Random } from '../../../kit/random.ts';
import { EXPLORATION_SHARE } from '../../catalog/placement.ts';
import { Normals } from './normals.ts';
import type { Score } from './reader.ts';

/** Posterior draws behind a propensity vector. */
const DRAWS = 128;

/**
 * The factor on a deviation that is drawn from. It is below one, since Thompson sampling explores more than pays, and
 * falls with the deviation: what is hardly known is tried boldly, so that the best is not missed, and what is well known
 * is used.
 */
export const explorationScale = (deviation: number): number => Math.min(1, Math.sqrt(0.6 * deviation));

/** The same for a user's preference, which is explored less later on: only this user gains from it. */
const userExplorationScale = (deviation: number): number => Math.min(1, 0.5 * deviation);

/**
 * The probability of choosing each candidate: how often it has the highest draw from its posterior (Thompson, 1933),
 * estimated from `draws` draws, mixed with `floor` of the uniform choice. Contents of one category share a draw of
 * what they have in common. Sums to 1. `random` is the only source of randomness, so a logged seed reproduces the vector. Scores that
 * are not finite numbers give the uniform choice: a broken model must not break a decision.
 */
export function propensitiesOf(
  scores: readonly Score[],
  random: Random,
  floor = EXPLORATION_SHARE,
  draws = DRAWS,
): number[] {
  const count = scores.length;
  if (count === 0) return [];
  if (count === 1) return [1];
  const uniform = 1 / count;
  if (!scores.every(isSound)) return scores.map(() => uniform);
  const contest = contestOf(scores);
  const normals = new Normals(random);
  const wins = new Int32Array(count);
  for (let draw = 0; draw < draws; draw++) {
    normals.fill(contest.drawn);
    for (const { at, members } of contest.alike) contest.drawn[at] = normals.highestOf(members.length);
    const won = winner(contest);
    const alike = contest.alikeAt.get(won);
    const index = alike ? alike[Math.floor(normals.uniform() * alike.length)] : contest.indexes[won];
    wins[index!]! += 1;
  }
  return scores.map((_, i) => (1 - floor) * (wins[i]! / draws) + floor * uniform);
}

/**
 * The candidates that have a chance to win a draw, packed: with many contents most have none and need no draws.
 * Candidates with one score are one entry here, for which the highest of their draws is drawn.
 */
interface Contest {
  readonly count: number;
  /** The entries that stand for several candidates, and these; by entry too. */
  readonly alike: readonly { readonly at: number; readonly members: readonly number[] }[];
  readonly alikeAt: ReadonlyMap<number, readonly number[]>;
  /** Index of each among all candidates; this and the next five are as long as all of them. */
  readonly indexes: Int32Array;
  readonly means: Float64Array;
  readonly deviations: Float64Array;
  readonly responseValues: Float64Array;
  /** The factor on what each has in common with its category. */
  readonly scales: Float64Array;
  /** Their categories, as indexes of `shared`: the deviations of what a category's contents have in common. */
  readonly groups: Int32Array;
  readonly shared: Float64Array;
  /** A normal number for each candidate, and after them one for each category. */
  readonly drawn: Float64Array;
  readonly highestValue: number;
  readonly sameValue: boolean;
}

/** Deviations beyond which a draw is not waited for: one in some 2,000. */
const FAR = 3.3;

function contestOf(scores: readonly Score[]): Contest {
  const count = scores.length;
  const categories = new Map<string, number>();
  const shared: number[] = [];
  const groups = new Int32Array(count);
  const means = new Float64Array(count);
  const deviations = new Float64Array(count);
  const responseValues = new Float64Array(count);
  const scales = new Float64Array(count);
  const best = new Float64Array(count);
  let bar = 0;
  for (let i = 0; i < count; i++) {
    const score = scores[i]!;
    let group = categories.get(score.category);
    if (group === undefined) {
      group = shared.length;
      categories.set(score.category, group);
      shared.push(Math.sqrt(score.shared.variance));
    }
    groups[i] = group;
    means[i] = score.shared.mean + score.own.mean;
    const { own, userVariance } = score;
    const common = Math.max(own.variance - userVariance, 0);
    const scale = explorationScale(Math.sqrt(score.shared.variance + common));
    scales[i] = scale;
    deviations[i] = Math.sqrt(
      scale ** 2 * common + userExplorationScale(Math.sqrt(userVariance)) ** 2 * userVariance,
    );
    responseValues[i] = score.responseValue;
    const spread = Math.sqrt(deviations[i]! ** 2 + (scale * shared[group]!) ** 2);
    bar = Math.max(bar, score.responseValue / (1 + Math.exp(spread - means[i]!)));
    best[i] = score.responseValue / (1 + Math.exp(-means[i]! - FAR * spread));
  }
  const indexes = new Int32Array(count);
  const entries = new Map<Score, number>();
  const alikeAt = new Map<number, number[]>();
  let left = 0;
  let highestValue = 0;
  let sameValue = true;
  for (let i = 0; i < count; i++) {
    if (best[i]! < bar) continue;
    const entry = entries.get(scores[i]!);
    if (entry !== undefined) {
      const members = alikeAt.get(entry);
      if (members) members.push(i);
      else alikeAt.set(entry, [indexes[entry]!, i]);
      continue;
    }
    entries.set(scores[i]!, left);
    indexes[left] = i;
    groups[left] = groups[i]!;
    means[left] = means[i]!;
    deviations[left] = deviations[i]!;
    scales[left] = scales[i]!;
    responseValues[left] = responseValues[i]!;
    sameValue &&= responseValues[left] === responseValues[0];
    highestValue = Math.max(highestValue, responseValues[left]!);
    left++;
  }
  return {
    count: left,
    alike: [...alikeAt].map(([at, members]) => ({ at, members })),
    alikeAt,
    indexes,
    means,
    deviations,
    scales,
    responseValues,
    groups,
    ...sharedBy(left, alikeAt, groups, shared, deviations, scales),
    highestValue,
    sameValue,
  };
}

/**
 * The categories of which several candidates have a chance, renumbered. One with a single candidate needs no draw of its own: the
 * sum of two independent normal numbers is one.
 */
function sharedBy(
  count: number,
  alikeAt: ReadonlyMap<number, unknown>,
  groups: Int32Array,
  common: readonly number[],
  deviations: Float64Array,
  scales: Float64Array,
): Pick<Contest, 'shared' | 'drawn'> {
  const candidates = new Int32Array(common.length);
  for (let i = 0; i < count; i++) candidates[groups[i]!]! += alikeAt.has(i) ? 2 : 1;
  const shared: number[] = [];
  const renumbered = Int32Array.from(candidates, (each, group) =>
    each > 1 ? shared.push(common[group]!) - 1 : 0,
  );
  for (let i = 0; i < count; i++) {
    const group = groups[i]!;
    groups[i] = renumbered[group]!;
    if (candidates[group] !== 1) continue;
    deviations[i] = Math.hypot(deviations[i]!, scales[i]! * common[group]!);
    scales[i] = 0;
  }
  return {
    shared: Float64Array.from(shared),
    drawn: new Float64Array(count + Math.max(shared.length, 1)),
  };
}

/** Draws each entry once from its posterior, by the numbers drawn; returns the best one. */
function winner(contest: Contest): number {
  const { count, means, deviations, scales, responseValues, groups, shared, drawn, highestValue, sameValue } =
    contest;
  for (let group = 0; group < shared.length; group++) drawn[count + group]! *= shared[group]!;
  let best = 0;
  let highest = Number.NEGATIVE_INFINITY;
  // Log-odds at or below which even the highest value of a response does not win.
  let bar = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const score = means[i]! + scales[i]! * drawn[count + groups[i]!]! + deviations[i]! * drawn[i]!;
    if (score <= bar) continue;
    if (sameValue) bar = score;
    else {
      const value = responseValues[i]! / (1 + Math.exp(-score));
      if (value <= highest) continue;
      highest = value;
      bar = Math.log(value / (highestValue - value));
    }
    best = i;
  }
  return best;
}

const isSound = ({ shared, own, userVariance, responseValue }: Score) =>
  Number.isFinite(shared.mean + own.mean + shared.variance + own.variance + responseValue) &&
  shared.variance >= 0 &&
  own.variance >= 0 &&
  userVariance >= 0;

/**
 * The choice of the highest upper bound, mixed with `floor` of the uniform choice; candidates with equal bounds share. Bounds
 * that are not finite numbers give the uniform choice.
 */
export function propensitiesOfHighest(bounds: readonly number[], floor = EXPLORATION_SHARE): number[] {
  const uniform = 1 / bounds.length;
  if (bounds.length === 1 || !bounds.every(Number.isFinite)) return bounds.map(() => uniform);
  const highest = Math.max(...bounds);
  const first = bounds.reduce((sum, bound) => sum + Number(bound === highest), 0);
  return bounds.map((bound) => (bound === highest ? (1 - floor) / first : 0) + floor * uniform);
}

/** Draws an index with exactly these probabilities. The last one absorbs rounding errors. */
export function sample(propensities: readonly number[], random: Random): number {
  let left = random();
  for (let i = 0; i < propensities.length - 1; i++) {
    left -= propensities[i]!;
    if (left < 0) return i;
  }
  return propensities.length - 1;
}

/** The `limit` highest of many items, highest first, equals in their order: a sort that stops early. */
export function highest<T>(items: readonly T[], limit: number, rankOf: (item: T) => number): T[] {
  const best: { readonly item: T; readonly value: number }[] = [];
  for (const item of items) {
    const value = rankOf(item);
    if (best.length === limit && !(value > best[limit - 1]!.value)) continue;
    let at = best.length;
    while (at > 0 && value > best[at - 1]!.value) at--;
    best.splice(at, 0, { item, value });
    if (best.length > limit) best.pop();
  }
  return best.map(({ item }) => item);
}
