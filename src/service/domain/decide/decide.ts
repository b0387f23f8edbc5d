import { seededRandom } from '../../../kit/random.ts';
import type { Audience, Content } from './content.ts';
import { type Removal, removalOf } from './eligibility.ts';
import { type Context, featuresOf } from './features.ts';
import { capIsReached, type Guardrails, isExcluded } from './guardrails.ts';
import { type Belief, believe, type Model, priorMean, probability } from './model.ts';
import { propensitiesOf, sample } from './policy.ts';
import { reasonFor, reasonForNone } from './reason.ts';

export interface Situation {
  readonly contents: readonly Content[];
  readonly context: Context;
  readonly audience: Audience;
  readonly guardrails: Guardrails;
  readonly contactsToday: number;
  readonly model: Model;
  /** All that is left to chance comes from here: the same situation and seed give the same choice. */
  readonly seed: string;
  /** Unix ms. */
  readonly now: number;
}

/** One content in the running: how likely it was to be chosen, and how likely it is to win its reward. */
export interface Candidate {
  readonly contentId: string;
  readonly propensity: number;
  readonly ranking: number;
}

export interface Choice {
  /** Null where no content may be shown. */
  readonly chosen: Candidate | null;
  readonly reason: string;
  /** The candidates in the order of the catalogue; their propensities sum to 1. Empty where none is left. */
  readonly candidates: readonly Candidate[];
}

/** Rankings carry this many decimals: what is shown is what is logged. */
const DECIMALS = 1e6;

/**
 * Chooses the next best action: eligibility, then guardrails, then Thompson sampling over the model's beliefs. The
 * action is drawn from exactly the propensities returned. Never throws for want of a sound model: beliefs that are
 * no numbers give the uniform choice at the contents' priors.
 */
export function decide(situation: Situation): Choice {
  const { contents, context, audience, guardrails, now } = situation;
  if (capIsReached(guardrails, situation.contactsToday)) {
    const cap = { max: guardrails.maxDailyContacts!, today: situation.contactsToday };
    return { chosen: null, reason: reasonForNone([], cap), candidates: [] };
  }
  const left: Content[] = [];
  const removed: { contentId: string; removal: Removal }[] = [];
  for (const content of contents) {
    const removal =
      removalOf(content, context, audience, now) ??
      (isExcluded(content, guardrails) ? ({ rule: 'category', name: content.category } as const) : null);
    if (removal) removed.push({ contentId: content.contentId, removal });
    else left.push(content);
  }
  if (left.length === 0) return { chosen: null, reason: reasonForNone(removed, null), candidates: [] };
  return choose(left, situation);
}

function choose(contents: readonly Content[], { context, model, seed }: Situation): Choice {
  const random = seededRandom(seed);
  const features = featuresOf(context);
  const beliefs: Belief[] = contents.map(({ contentId, prior }) =>
    believe(model.actions.get(contentId), features, priorMean(prior, features)),
  );
  const propensities = propensitiesOf(beliefs, random);
  const candidates = contents.map(({ contentId, prior }, i) => ({
    contentId,
    propensity: propensities[i]!,
    ranking: round(soundOr(probability(beliefs[i]!), prior)),
  }));
  const chosen = candidates[sample(propensities, random)]!;
  const reason = reasonFor({
    context,
    features,
    posterior: model.actions.get(chosen.contentId),
    ranking: chosen.ranking,
    candidates: candidates.length,
    higher: candidates.filter((other) => other.ranking > chosen.ranking).length,
    level: candidates.filter((other) => other.ranking === chosen.ranking).length - 1,
  });
  return { chosen, reason, candidates };
}

/** The runners-up of a choice, best first; equals in the order of the catalogue. */
export function alternativesOf({ chosen, candidates }: Choice, most: number): Candidate[] {
  return candidates
    .filter((candidate) => candidate !== chosen)
    .sort((a, b) => b.ranking - a.ranking)
    .slice(0, most);
}

const round = (value: number) => Math.round(value * DECIMALS) / DECIMALS;
const soundOr = (value: number, fallback: number) => (Number.isFinite(value) ? value : fallback);
