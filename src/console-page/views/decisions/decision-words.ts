import type { AnswerOf } from '../../../contract/endpoints.ts';
import type { Meanings } from '../../parts/term.tsx';

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

/** What the words of the decisions mean. */
export const TERMS: Meanings = [
  [
    'Expected',
    'What the model expects the content to earn here, from 0 to 1 reward (the API calls it ranking): 0.52 is 52 rewards of 100 messages.',
  ],
  [
    'Likelihood',
    'How many of 100 requests like this one get the same content (the API calls it propensity). Contents are drawn, not picked.',
  ],
  [
    'tried',
    'Another content was more likely. Some choices fall on others, so that the model learns what they earn.',
  ],
  [
    'holdout',
    'The user is one of a fixed share for whom each eligible content is equally likely: what learning earns is what the others earn more.',
  ],
  ['fixed weights', 'The placement says how often each content is chosen, and nothing is learned there.'],
  [
    'Earned',
    'The reward of its outcomes so far, 1 if the user acted on it; waiting until there is one or its time is over.',
  ],
];

/** What was earned so far, in rewards: `waiting` until the time for it is over or something was earned. */
export function rewardWords({ reward, contentId }: Decision): string {
  if (contentId === null) return '–';
  if (reward === null) return 'waiting';
  return reward > 0 ? Number(reward.toFixed(3)).toString() : '0';
}

/** The same with its unit. */
export function earnedWords(decision: Decision): string {
  const words = rewardWords(decision);
  return words === '0'
    ? 'nothing'
    : words === '1'
      ? '1 reward'
      : /^[\d.]+$/.test(words)
        ? `${words} of a reward`
        : words;
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
