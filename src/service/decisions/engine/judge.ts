import type { Random } from '../../../kit/random.ts';
import type { Content } from '../../catalog/content.ts';
import { probability } from './copies.ts';
import type { Feature } from './features.ts';
import { unmetLinear, upperBound } from './linear.ts';
import { type Model, responseValueOf } from './model.ts';
import { propensitiesOf, propensitiesOfHighest } from './policy.ts';
import { Reader, type Score } from './reader.ts';

/** What the model says of the candidates of one decision. */
export interface Judgement {
  /** Expected reward of each. */
  readonly rankings: readonly number[];
  /** The learned choice: the probability of each. */
  propensities(random: Random, explorationShare?: number): number[];
  /** How much a feature adds to the expected reward of a candidate, about. */
  effect(candidate: number, feature: Feature): number;
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

function byCopy(
  model: Model,
  contents: readonly Content[],
  features: readonly Feature[],
  user: string | null,
): Judgement {
  const reader = new Reader(model, features, user);
  const scores = contents.map((content) => reader.score(content));
  const chances = scores.map(chanceOf);
  return {
    rankings: chances.map((chance, i) => chance * scores[i]!.responseValue),
    propensities: (random, explorationShare) => propensitiesOf(scores, random, explorationShare),
    effect: (i, feature) =>
      chances[i]! * (1 - chances[i]!) * scores[i]!.responseValue * reader.weight(contents[i]!, feature),
  };
}

function byLinear(model: Model, contents: readonly Content[], features: readonly Feature[]): Judgement {
  const x = model.encode(features);
  const rankings = new Array<number>(contents.length);
  const bounds = new Array<number>(contents.length);
  // Contents that were never met have what the copies learned of their categories and attributes.
  let reader: Reader | undefined;
  for (const [i, content] of contents.entries()) {
    const known = model.contents.get(content.contentId);
    let belief = known?.linear.believe(x);
    if (!belief) {
      reader ??= new Reader(model, features, null);
      belief = unmetLinear(chanceOf(reader.score(content)), x);
    }
    const value = responseValueOf(model, known);
    rankings[i] = value * Math.min(Math.max(belief.mean, 0), 1);
    bounds[i] = value * upperBound(belief);
  }
  return {
    rankings,
    propensities: (_, explorationShare) => propensitiesOfHighest(bounds, explorationShare),
    effect: (i, feature) => {
      const known = model.contents.get(contents[i]!.contentId);
      if (!known) return 0;
      let sum = 0;
      for (const row of model.encoding.rowsOf(feature)) {
        const at = x.rows.indexOf(row);
        if (at >= 0) sum += x.values[at]! * known.linear.weight(row);
      }
      return responseValueOf(model, known) * sum;
    },
  };
}

const chanceOf = ({ shared, own }: Score) =>
  probability({ mean: shared.mean + own.mean, variance: shared.variance + own.variance });
