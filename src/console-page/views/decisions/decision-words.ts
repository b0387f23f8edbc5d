import type { AnswerOf } from '../../../contract/endpoints.ts';

export type Decision = AnswerOf<'getDecision'>;
export type Candidate = Decision['candidates'][number];
export type Explained = NonNullable<Decision['explanation']>;

/** The candidates, best ranking first. */
export const byRanking = (decision: Decision): readonly Candidate[] =>
  [...decision.candidates].sort((a, b) => b.ranking - a.ranking);

/**
 * How a choice came about: `none` if nothing was chosen, `even` in the holdout group, `weights` at a placement with fixed
 * weights, `likely` if no other candidate was more likely, else `tried`: a less likely one, from which the model learns.
 */
export function kindOf(decision: Decision): 'none' | 'even' | 'weights' | 'likely' | 'tried' {
  if (decision.contentId === null) return 'none';
  if (decision.policy === 'holdout') return 'even';
  if (decision.policy === 'weights') return 'weights';
  const chosen = chosenOf(decision);
  const most = Math.max(...decision.candidates.map(({ propensity }) => propensity), 0);
  return chosen === undefined || chosen.propensity >= most ? 'likely' : 'tried';
}

/** The candidate that was chosen; undefined without one. */
export const chosenOf = ({ candidates, contentId }: Decision): Candidate | undefined =>
  candidates.find((candidate) => candidate.contentId === contentId);

/** The words of a choice on its badge. */
export const KIND_WORDS = {
  none: 'no action',
  even: 'holdout',
  weights: 'fixed weights',
  likely: 'most likely',
  tried: 'tried',
} as const;

/** What was earned so far, in rewards: `waiting` until the time for it is over or something was earned. */
export function rewardWords({ reward, contentId }: Decision): string {
  if (contentId === null) return '–';
  if (reward === null) return 'waiting';
  return reward > 0 ? Number(reward.toFixed(3)).toString() : '0';
}

/** `1st`, `2nd`, `3rd`, `11th`. */
export function ordinal(n: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd' }[
    new Intl.PluralRules('en', { type: 'ordinal' }).select(n) as string
  ];
  return `${n}${ending ?? 'th'}`;
}

/** Channel, surface and locale of a context in one line. */
export const contextLine = (context: Readonly<Record<string, string>>): string =>
  [context.channel, context.surface, context.locale].filter(Boolean).join(' · ');
