import type { Random } from '../../../kit/random.ts';
import type { Content } from '../../catalog/content.ts';
import { probability } from './copies.ts';
import type { Comparison } from './explain.ts';
import type { Feature } from './features.ts';
import { upperBound, widestVariance } from './linear.ts';
import { type Model, responseValueOf } from './model.ts';
import type { Distribution } from './numbers.ts';
import { highest, propensitiesOf, propensitiesOfHighest } from './policy.ts';
import { Reader, type Score } from './reader.ts';

/** What the model says of the candidates of one decision. */
export interface Judgement {
  /** Expected reward of each. */
  readonly rankings: readonly number[];
  /** The learned choice: the probability of each. */
  propensities(random: Random, explorationShare?: number): number[];
  /** What the learned choice goes by: the highest wins, or wins most often. */
  readonly scores: readonly number[];
  /** Compares two candidates, or one with nothing, feature by feature. */
  compare(first: number, second?: number): Comparison;
}

/** Asks the expert with the best recent predictions. */
export function judge(
  model: Model,
  contents: readonly Content[],
  features: readonly Feature[],
  user: string | null,
): Judgement {
  return model.evidence.isLinear
    ? byLinear(model, contents, features)
    : byCopy(model, contents, features, user);
}

const NONE: ReadonlyMap<number, Distribution> = new Map();

function byCopy(
  model: Model,
  contents: readonly Content[],
  features: readonly Feature[],
  user: string | null,
): Judgement {
  const reader = new Reader(model, features, user);
  const scores = contents.map((content) => reader.score(content));
  const chances = scores.map(chanceOf);
  const rankings = chances.map((chance, i) => chance * scores[i]!.responseValue);
  const slope = (i: number) => chances[i]! * (1 - chances[i]!) * scores[i]!.responseValue;
  const effect = (i: number | undefined, feature: Feature) =>
    i === undefined ? 0 : slope(i) * reader.weight(contents[i]!, feature);
  const preference = (i: number | undefined) =>
    i === undefined ? 0 : slope(i) * (reader.pair(contents[i]!.contentId)?.mean ?? 0);
  const without = (i: number | undefined, feature: Feature) => {
    if (i === undefined) return 0;
    const score = scores[i]!;
    const own = { ...score.own, mean: score.own.mean - reader.weight(contents[i]!, feature) };
    return score.responseValue * chanceOf({ ...score, own });
  };
  return {
    rankings,
    scores: rankings,
    propensities: (random, explorationShare) => propensitiesOf(scores, random, explorationShare),
    compare: (i, j) => ({
      effects: Float64Array.from(features, (feature) => effect(i, feature) - effect(j, feature)),
      preference: preference(i) - preference(j),
      isAhead: (changed) => isAhead(model, contents, [i, j], changed, user),
      leadWith: (at) => without(i, features[at]!) - without(j, features[at]!),
      // A number counts by its magnitude here.
      numbers: NONE,
    }),
  };
}

function byLinear(model: Model, contents: readonly Content[], features: readonly Feature[]): Judgement {
  const x = model.encode(features);
  const known = contents.map(({ contentId }) => model.contents.get(contentId));
  // Contents that were never met have what the copies learned of their categories and attributes.
  let reader: Reader | undefined;
  const unmet = (content: Content) => {
    reader ??= new Reader(model, features, null);
    return chanceOf(reader.score(content)) * x.values[0]!;
  };
  const values = known.map((each) => responseValueOf(model, each));
  const means = contents.map((content, i) => known[i]?.linear.expected(x) ?? unmet(content));
  const boundOf = (i: number, variance: number) => values[i]! * upperBound({ mean: means[i]!, variance });
  const widest = widestVariance(x);
  const bounds = contents.map((_, i) => boundOf(i, widest));
  narrow(bounds, (i) => boundOf(i, known[i]?.linear.variance(x) ?? widest));
  const weights = (i: number | undefined) => {
    const block = i === undefined ? undefined : known[i]?.linear;
    return (row: number) => (block ? values[i!]! * block.weight(row) : 0);
  };
  return {
    rankings: means.map((mean, i) => values[i]! * Math.min(Math.max(mean, 0), 1)),
    scores: bounds,
    propensities: (_, explorationShare) => propensitiesOfHighest(bounds, explorationShare),
    compare: (i, j) => {
      const [first, second] = [weights(i), weights(j)];
      const lead = bounds[i]! - (j === undefined ? 0 : bounds[j]!);
      return {
        ...model.compare(features, (row) => first(row) - second(row), lead),
        preference: 0,
        isAhead: (changed) => isAhead(model, contents, [i, j], changed, null),
      };
    },
  };
}

/**
 * Makes the two highest of many bounds exact, by which a content is chosen and the choice is explained; the others stay where they
 * are, at least as high as they should be and below those. The variance of a content takes most of the time of a decision, and
 * with many contents few come into question.
 */
function narrow(bounds: number[], exact: (i: number) => number): void {
  let [first, second] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const seen = highest([...bounds.keys()], 2, (i) => bounds[i]!);
  const measure = (i: number) => {
    const bound = exact(i);
    bounds[i] = bound;
    if (bound > first) [first, second] = [bound, first];
    else if (bound > second) second = bound;
  };
  for (const i of seen) measure(i);
  for (const i of bounds.keys()) if (!(bounds[i]! < second || seen.includes(i))) measure(i);
}

const chanceOf = ({ shared, own }: Score) =>
  probability({ mean: shared.mean + own.mean, variance: shared.variance + own.variance });

function isAhead(
  model: Model,
  contents: readonly Content[],
  of: readonly (number | undefined)[],
  features: readonly Feature[],
  user: string | null,
): boolean {
  const compared = of.flatMap((i) => (i === undefined ? [] : [contents[i]!]));
  const [first, second = Number.NEGATIVE_INFINITY] = judge(model, compared, features, user).scores;
  return first! > second;
}
