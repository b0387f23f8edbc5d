import { seededRandom } from '../../../kit/random.ts';
import type { Audience, Content } from './content.ts';
import { type Removal, removalOf } from './eligibility.ts';
import { type Context, type Feature, featuresOf, type Person } from './features.ts';
import { capIsReached, type Guardrails, isExcluded, unknownCategories } from './guardrails.ts';
import { type Model, probability } from './model.ts';
import { propensitiesOf, sample } from './policy.ts';
import { Reader } from './reader.ts';
import { reasonFor, reasonForNone } from './reason.ts';

export interface Situation {
  readonly contents: readonly Content[];
  readonly context: Context;
  readonly audience: Audience;
  /** The features of the user; none if omitted. */
  readonly person?: Person;
  /** Hash of the user, for personal preference; null or omitted for an unknown user. */
  readonly user?: string | null;
  readonly guardrails: Guardrails;
  readonly contactsToday: number;
  readonly model: Model;
  /** The source of all randomness: the same situation and seed give the same choice. */
  readonly seed: string;
  /** Unix ms. */
  readonly now: number;
}

/** An eligible content, with the probability that it was chosen and its expected reward. */
export interface Candidate {
  readonly contentId: string;
  readonly propensity: number;
  readonly ranking: number;
}

export interface Choice {
  /** Null if no content is eligible. */
  readonly chosen: Candidate | null;
  readonly reason: string;
  /** The candidates in the order of the catalog; their propensities sum to 1. Empty if no content is eligible. */
  readonly candidates: readonly Candidate[];
  /** The features of the choice; empty if there was none. */
  readonly features: readonly Feature[];
}

/** Decimals of a ranking, in answers and in the log. */
const DECIMALS = 1e6;

/**
 * Chooses the next best action: eligibility, then guardrails, then Thompson sampling from the model. The action
 * is drawn from exactly the returned propensities. A broken model does not throw: estimates that are not finite give the
 * uniform choice with the contents' priors.
 */
export function decide(situation: Situation): Choice {
  const { contents, context, audience, guardrails, now } = situation;
  if (capIsReached(guardrails, situation.contactsToday)) {
    const cap = { max: guardrails.maxDailyContacts!, today: situation.contactsToday };
    return { chosen: null, reason: reasonForNone([], cap), candidates: [], features: [] };
  }
  const unknown = unknownCategories(contents, guardrails);
  const left: Content[] = [];
  const removed: { contentId: string; removal: Removal }[] = [];
  for (const content of contents) {
    const removal =
      removalOf(content, context, audience, now) ??
      (isExcluded(content, guardrails) ? ({ rule: 'category', name: content.category } as const) : null);
    if (removal) removed.push({ contentId: content.contentId, removal });
    else left.push(content);
  }
  if (left.length === 0)
    return {
      chosen: null,
      reason: `${reasonForNone(removed, null)}${warningOf(unknown)}`,
      candidates: [],
      features: [],
    };
  const choice = choose(left, situation);
  return { ...choice, reason: `${choice.reason}${warningOf(unknown)}` };
}

/** Reports excluded categories that no content has: they are probably misspelled. */
const warningOf = (unknown: readonly string[]) =>
  unknown.length === 0 ? '' : ` Warning: no content is in the excluded ${few(unknown)}.`;

const few = (names: readonly string[]) =>
  `${names.length === 1 ? 'category' : 'categories'} ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;

function choose(contents: readonly Content[], situation: Situation): Choice {
  const { context, model, person, user } = situation;
  const random = seededRandom(situation.seed);
  const features = featuresOf(context, person);
  const reader = new Reader(model, features, user ?? null);
  const scores = contents.map(({ contentId, category, prior }) => reader.score(contentId, category, prior));
  const propensities = propensitiesOf(scores, random);
  const candidates = contents.map(({ contentId, prior }, i) => {
    const { shared, own, worth } = scores[i]!;
    const mean = shared.mean + own.mean;
    const chance = probability({ mean, variance: shared.variance + own.variance });
    return {
      contentId,
      propensity: propensities[i]!,
      ranking: round(soundOr(chance * worth, prior)),
    };
  });
  const index = sample(propensities, random);
  const chosen = candidates[index]!;
  const { category, traits } = contents[index]!;
  const reason = reasonFor({
    context,
    rules: [...new Set(traits.map(({ trait }) => trait))],
    features,
    seen: model.contents.get(chosen.contentId)?.seen ?? 0,
    weight: (feature) => reader.weight(chosen.contentId, category, feature),
    ranking: chosen.ranking,
    candidates: candidates.length,
    higher: candidates.filter((other) => other.ranking > chosen.ranking).length,
    level: candidates.filter((other) => other.ranking === chosen.ranking).length - 1,
  });
  return { chosen, reason, candidates, features };
}

/** The runners-up of a choice, best first; equals in the order of the catalog. */
export function alternativesOf({ chosen, candidates }: Choice, most: number): Candidate[] {
  return candidates
    .filter((candidate) => candidate !== chosen)
    .sort((a, b) => b.ranking - a.ranking)
    .slice(0, most);
}

const round = (value: number) => Math.round(value * DECIMALS) / DECIMALS;
const soundOr = (value: number, fallback: number) => (Number.isFinite(value) ? value : fallback);
