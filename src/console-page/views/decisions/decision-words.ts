import type { AnswerOf } from '../../../contract/endpoints.ts';

export type Decision = AnswerOf<'getDecision'>;
export type Candidate = Decision['candidates'][number];
export type Explained = NonNullable<Decision['explanation']>;

/** The candidates, best ranking first. */
export const byRanking = (decision: Decision): readonly Candidate[] =>
  [...decision.candidates].sort((a, b) => b.ranking - a.ranking);

/**
 * How a choice came about: `none` if nothing was chosen, `even` in the holdout group, `weights` at a placement with fixed
 * weights, `best` if it had the highest ranking, else `explored`.
 */
export function kindOf(decision: Decision): 'none' | 'even' | 'weights' | 'best' | 'explored' {
  if (decision.contentId === null) return 'none';
  if (decision.policy === 'holdout') return 'even';
  if (decision.policy === 'weights') return 'weights';
  const best = byRanking(decision)[0];
  const chosen = decision.candidates.find(({ contentId }) => contentId === decision.contentId);
  return best === undefined || (chosen !== undefined && chosen.ranking >= best.ranking) ? 'best' : 'explored';
}

/** The words of a choice on its badge. */
export const KIND_WORDS = {
  none: 'no action',
  even: 'holdout',
  weights: 'fixed weights',
  best: 'best known',
  explored: 'explored',
} as const;

/** What the reward says so far. */
export function rewardWords({ reward, contentId }: Decision): string {
  if (contentId === null) return 'none to earn';
  if (reward === null) return 'pending';
  return reward > 0 ? `rewarded ${Number(reward.toFixed(3))}` : 'no reward';
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
