import { type Context, featuresOf } from './features.ts';
import { amend, learn, type Model, newPosterior, priorMean } from './model.ts';

/** One entry of the reward log: what a decision earned, and what it was thought to have earned before. */
export interface RewardEntry {
  readonly contentId: string;
  readonly context: Context;
  /** Chance of a reward that the catalogue gave the content when it was chosen. */
  readonly prior: number;
  /** Null for the first entry of a decision. */
  readonly from: number | null;
  readonly to: number;
}

/**
 * Folds entries, in the order of the log, into a model; returns the next version and leaves `model` as it was.
 * The same log from the same model gives the same result, so a learner that was stopped starts again anywhere.
 */
export function fold(model: Model, entries: readonly RewardEntry[]): Model {
  const actions = new Map(model.actions);
  const copied = new Set<string>();
  for (const { contentId, context, prior, from, to } of entries) {
    const features = featuresOf(context);
    if (!copied.has(contentId)) {
      const known = actions.get(contentId) ?? newPosterior(priorMean(prior, features));
      actions.set(contentId, {
        ...known,
        keys: [...known.keys],
        mean: [...known.mean],
        covariance: [...known.covariance],
      });
      copied.add(contentId);
    }
    const posterior = actions.get(contentId)!;
    if (from === null) learn(posterior, features, to);
    else amend(posterior, features, from, to);
  }
  return { version: model.version + 1, actions };
}
