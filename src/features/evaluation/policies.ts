import type { LoggedDecision } from './logged-decision.ts';

/** What a policy would have done in a logged decision. */
export interface Choice {
  /** Probability of each named candidate; NaN if it is unknown. */
  readonly chances: readonly number[];
  /** Expected predicted reward of the candidates that the log does not name; NaN if it is unknown. */
  readonly rest: number;
}

/** A policy to judge. Returns null for a decision in which it has no candidate. */
export type Policy = (decision: LoggedDecision) => Choice | null;

/** The policy that produced the log. */
export const running: Policy = ({ candidates, others }) => ({
  chances: candidates.map(({ propensity }) => propensity),
  rest: others ? others.expected : 0,
});

/** Each candidate with the same probability. */
export const uniform: Policy = ({ candidates, others }) => {
  const all = candidates.length + (others?.count ?? 0);
  return {
    chances: candidates.map(() => 1 / all),
    rest: others ? (others.count * others.ranking) / all : 0,
  };
};

/** Always the candidate with the highest ranking; the first of equals. The log always names it. */
export const best: Policy = ({ candidates }) => {
  if (candidates.some(({ ranking }) => Number.isNaN(ranking))) return null;
  let highest = 0;
  for (const [i, { ranking }] of candidates.entries())
    if (ranking > candidates[highest]!.ranking) highest = i;
  return { chances: candidates.map((_, i) => (i === highest ? 1 : 0)), rest: 0 };
};

/**
 * Chooses among fixed weights, in proportion to those of the candidates. A content that a shortened log entry does not
 * name is taken as one of the candidates left out.
 * @param weights weight of each content, not negative; a content without one is never chosen
 */
export function weighted(weights: ReadonlyMap<string, number>): Policy {
  return ({ candidates, others }) => {
    const named = candidates.map(({ contentId }) => weights.get(contentId) ?? 0);
    const sum = named.reduce((total, weight) => total + weight, 0);
    const unnamed = others ? totalOf(weights) - sum : 0;
    // Rounding may leave a remainder where all weights are named.
    const left = unnamed > 1e-12 * sum ? unnamed : 0;
    const total = sum + left;
    if (!(total > 0)) return null;
    return {
      chances: named.map((weight) => weight / total),
      rest: left === 0 ? 0 : (left / total) * others!.ranking,
    };
  };
}

/** Always one content, where it is a candidate. */
export const always = (contentId: string): Policy => weighted(new Map([[contentId, 1]]));

function totalOf(weights: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const weight of weights.values()) total += weight;
  return total;
}
