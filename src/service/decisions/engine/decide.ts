import { firstOf } from '../../../kit/first-of.ts';
import { seededRandom } from '../../../kit/random.ts';
import type { Audience, Content } from '../../catalog/content.ts';
import { keptContent, type Placement, placementOf, shareOf } from '../../catalog/placement.ts';
import { repeatRuleOf, type Shown } from '../../catalog/repeat.ts';
import { type Removal, removalOf } from './eligibility.ts';
import { type Explanation, explain } from './explain.ts';
import { type Context, type Feature, featuresOf, type Person } from './features.ts';
import { capIsReached, type Guardrails, unknownCategories } from './guardrails.ts';
import { type Judgement, judge } from './judge.ts';
import type { Model } from './model.ts';
import { highest, sample } from './policy.ts';
import { reasonFor, reasonForNone } from './reason.ts';
import { type Removed, separate } from './removed.ts';

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
  /** What the user has had of the contents with rules on repeats, by content. Default: nothing. */
  readonly shown?: ReadonlyMap<string, Shown>;
  /** Fixed weights instead of the learned choice. Default: none. */
  readonly placements?: readonly Placement[];
  /**
   * What guards have taken out: contents by the goal of the guard, and the learned choice, by that of the guard that
   * stopped it. Fixed weights are not touched. Default: nothing.
   */
  readonly takenOut?: TakenOut | undefined;
  /** Share of the users for whom contents are chosen evenly. Default: 0. */
  readonly holdout?: number;
  /** Share of a learned choice that is spread evenly over the candidates. */
  readonly explorationShare?: number;
  readonly model: Model;
  /** The source of all randomness: the same situation and seed give the same choice. */
  readonly seed: string;
  /** Unix ms. */
  readonly now: number;
}

interface TakenOut {
  readonly contents: ReadonlyMap<string, { readonly goalId: string }>;
  readonly learned: string | undefined;
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
  /** What was excluded by which rule; empty where the cap of contacts is reached, before any rule. */
  readonly removed: readonly Removed[];
  /** The candidates in the order of the catalog; their propensities sum to 1. Empty if no content is eligible. */
  readonly candidates: readonly Candidate[];
  /** The features of the choice; empty if there was none. */
  readonly features: readonly Feature[];
  /** What made the choice. */
  readonly policy: ChoicePolicy;
  /** What moved a learned choice; null for others, and where no feature did. */
  readonly explanation: Explanation | null;
}

/** The learned beliefs, the fixed weights of a placement, or an even choice for a user in the holdout group. */
type ChoicePolicy = 'learned' | 'weights' | 'holdout';

/** Decimals of a ranking, in answers and in the log. */
const DECIMALS = 1e6;

/**
 * Chooses the next best action: eligibility, then guardrails, then the expert of the model that predicts best. The action
 * is drawn from exactly the returned propensities. A broken model does not throw: estimates that are not finite give the
 * uniform choice with the contents' priors.
 */
export function decide(situation: Situation): Choice {
  const { contents, context, audience, guardrails, now } = situation;
  const warning = warningOf(unknownCategories(contents, guardrails));
  if (capIsReached(guardrails, situation.contactsToday)) {
    const cap = { max: guardrails.maxDailyContacts!, today: situation.contactsToday };
    return { chosen: null, reason: `${reasonForNone([], cap)}${warning}`, removed: [], ...NOTHING };
  }
  const placement = placementOf(situation.placements ?? [], context);
  const excluded = new Set(guardrails.excludeCategories);
  const removal = (content: Content): Removal | null =>
    removalOf(content, context, audience, now) ??
    (excluded.has(content.category) ? { rule: 'category', name: content.category } : null) ??
    (placement && !placement.weights.get(content.contentId) ? { rule: 'weights' } : null) ??
    repeatRemoval(content, situation);
  const taken = placement ? undefined : situation.takenOut?.contents;
  const guarded = (content: Content): Removal | null => {
    const goalId = taken?.get(content.contentId)?.goalId;
    return removal(content) ?? (goalId === undefined ? null : { rule: 'guard', name: goalId });
  };
  const split = separate(contents, guarded);
  // Guards do not leave a user without any content.
  const allTaken = split.left.length === 0 && split.removed.some(({ rule }) => rule === 'guard');
  const { left, removed } = allTaken ? separate(contents, removal) : split;
  if (left.length === 0)
    return { chosen: null, reason: `${reasonForNone(removed, null)}${warning}`, removed, ...NOTHING };
  const choice = choose(left, situation, placement);
  const guards = allTaken ? ALL_TAKEN : '';
  return { ...choice, reason: `${choice.reason}${guards}${warning}`, removed };
}

const ALL_TAKEN = ' Warning: guards took all candidates out of choice; they are used, as there is no other.';

const NOTHING = { candidates: [], features: [], policy: 'learned', explanation: null } as const;

function repeatRemoval({ contentId, repeat }: Content, { shown, now }: Situation): Removal | null {
  const rule = repeatRuleOf(repeat, shown?.get(contentId), now);
  return rule && { rule };
}

/** Reports excluded categories that no content has: they are probably misspelled. */
const warningOf = (unknown: readonly string[]) =>
  unknown.length === 0 ? '' : ` Warning: no content is in the excluded ${few(unknown)}.`;

const few = (names: readonly string[]) =>
  `${names.length === 1 ? 'category' : 'categories'} ${firstOf(names, 3)}`;

function choose(
  contents: readonly Content[],
  situation: Situation,
  placement: Placement | undefined,
): Omit<Choice, 'removed'> {
  const { context, model, person, user } = situation;
  const random = seededRandom(situation.seed);
  const features = featuresOf(context, person, (key) => model.encoding.isKnown(key));
  const judgement = judge(model, contents, features, user ?? null);
  const inHoldout = !!user && shareOf(user, 'holdout') < (situation.holdout ?? 0);
  const stoppedBy = placement || inHoldout ? undefined : situation.takenOut?.learned;
  const policy = placement || stoppedBy !== undefined ? 'weights' : inHoldout ? 'holdout' : 'learned';
  const propensities =
    policy === 'learned'
      ? judgement.propensities(random, situation.explorationShare)
      : inProportion(contents.map(({ contentId }) => placement?.weights.get(contentId) ?? 1));
  const candidates = contents.map(({ contentId, prior }, i) => ({
    contentId,
    propensity: propensities[i]!,
    ranking: round(soundOr(judgement.rankings[i]!, prior)),
  }));
  const index =
    placement?.perUser && user
      ? keptContent(
          placement,
          user,
          contents.map(({ contentId }) => contentId),
        )
      : sample(propensities, random);
  const chosen = candidates[index]!;
  const content = contents[index]!;
  let higher = 0;
  let level = -1;
  for (const { ranking } of candidates) {
    if (ranking > chosen.ranking) higher++;
    else if (ranking === chosen.ranking) level++;
  }
  const explanation = policy === 'learned' ? explanationOf(contents, features, judgement) : null;
  const reason = reasonFor({
    policy,
    stoppedBy,
    context,
    rules: [...new Set(content.traits.map(({ trait }) => trait))],
    seen: model.contents.get(chosen.contentId)?.seen ?? 0,
    explanation: explanation?.winner === chosen.contentId ? explanation : null,
    ranking: chosen.ranking,
    prior: content.prior,
    candidates: candidates.length,
    higher,
    level,
  });
  return { chosen, reason, candidates, features, policy, explanation };
}

function explanationOf(
  contents: readonly Content[],
  features: readonly Feature[],
  judgement: Judgement,
): Explanation | null {
  const { scores } = judgement;
  const [first, second] = highest([...scores.keys()], 2, (i) => scores[i]!);
  if (first === undefined || !scores.every(Number.isFinite)) return null;
  const runnerUp = second === undefined ? null : contents[second]!.contentId;
  return explain([contents[first]!.contentId, runnerUp], features, judgement.compare(first, second));
}

function inProportion(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The runners-up of a choice, best first; equals in the order of the catalog. */
export function alternativesOf({ chosen, candidates }: Choice, limit: number): Candidate[] {
  return highest(candidates, limit + 1, ({ ranking }) => ranking)
    .filter((candidate) => candidate !== chosen)
    .slice(0, limit);
}

const round = (value: number) => Math.round(value * DECIMALS) / DECIMALS;
const soundOr = (value: number, fallback: number) => (Number.isFinite(value) ? value : fallback);
