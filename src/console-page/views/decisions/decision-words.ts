import type { AnswerOf } from '../../../contract/endpoints.ts';
import { HELD_OUT, type Meanings } from '../../parts/term.tsx';

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

/** A difference of likelihoods that the draws alone, of which there are 128, do not make. */
const BY_CHANCE = 0.03;

/** Two candidates of a learned choice of which the first is expected to earn less, and was clearly more likely; undefined without. */
export function likelierThanBetter(decision: Decision): readonly [Candidate, Candidate] | undefined {
  if (decision.policy === 'holdout' || decision.policy === 'weights') return undefined;
  const ranked = byRanking(decision);
  const pairs = ranked.flatMap((better, i) =>
    ranked
      .slice(i + 1)
      .filter(
        ({ ranking, propensity }) => ranking < better.ranking && propensity - better.propensity > BY_CHANCE,
      )
      .map((likelier) => [likelier, better] as const),
  );
  const gap = ([likelier, better]: (typeof pairs)[number]) => likelier.propensity - better.propensity;
  return pairs.sort((a, b) => gap(b) - gap(a))[0];
}

/** The words of a choice on its badge. */
export const KIND_WORDS = {
  none: 'no action',
  even: 'holdout',
  weights: 'fixed weights',
  likely: 'most likely',
  tried: 'tried to learn',
} as const;

/** What the words of the decisions mean. */
export const TERMS: Meanings = [
  [
    'Expected',
    'What one message with the content is expected to earn here, from 0 to 1 reward (the API calls it ranking): 0.52 is 52 rewards of 100 messages. It is no share of choices: that is the likelihood.',
  ],
  [
    'Likelihood',
    'How many of 100 requests like this one get the same content (the API calls it propensity). Contents are drawn, not picked.',
  ],
  [
    'tried to learn',
    'Chance fell on a content that was not the most likely one: often while it is uncertain which is best, else by the exploration share.',
  ],
  [
    'Exploration share',
    'The part of the likelihood that is spread evenly over all candidates (2 % unless the catalog says otherwise), so that each is chosen now and then.',
  ],
  ['holdout', HELD_OUT],
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
