import type { PartOfReward } from '../../engine/delays.ts';
import { UNIT } from './attribution.ts';

/** What a decision earned by its kinds. */
export interface Earned {
  /** The reward of the outcomes of its message; null without any. */
  readonly earned: number | null;
  /** What its events count, in millionths, by the number of the goal. */
  readonly goals: Readonly<Record<string, number>>;
  /** The rewards that were reported, in 0 to 1, by goalId; that of no goal by an empty text. */
  readonly given: Readonly<Record<string, number>>;
}

/** A goal as its counts are found: its identifier, and its number in the store. */
export interface NumberedGoal {
  readonly goalId: string;
  readonly goal: number;
}

/** What is learned of a decision. */
export interface Formula {
  /** The weight of the outcomes of the message. */
  readonly outcomes: number;
  readonly goals: readonly (NumberedGoal & { readonly weight: number })[];
}

/** What is learned where the catalog does not say it. */
export const OUTCOMES: Formula = { outcomes: 1, goals: [] };

/** The value of a decision for a goal, in 0 to 1. */
export function goalValue(
  { goals, given }: Pick<Earned, 'goals' | 'given'>,
  { goal, goalId }: NumberedGoal,
): number {
  return Math.min(1, Math.max(0, (goals[goal] ?? 0) / UNIT) + (given[goalId] ?? 0));
}

/**
 * What each part of the reward is, by goal; that of no goal is of the outcomes of the message. One that was reported for the
 * whole decision replaces all of them.
 */
function partsOf(formula: Formula, earned: Earned): Map<string, number> {
  const whole = earned.given[''];
  if (whole !== undefined) return new Map([['', whole]]);
  return new Map([
    ['', formula.outcomes * (earned.earned ?? 0)],
    ...formula.goals.map((goal) => [goal.goalId, goal.weight * goalValue(earned, goal)] as const),
  ]);
}

/** The reward that is learned of a decision, in 0 to 1. */
export function rewardOf(formula: Formula, earned: Earned): number {
  let sum = 0;
  for (const value of partsOf(formula, earned).values()) sum += value;
  return Math.min(1, sum);
}

/** What a decision earned before anything was known of it. */
export const NOTHING: Earned = { earned: null, goals: {}, given: {} };

/** The parts of the reward that changed; undefined where no goal is learned, and the reward has one part. */
export function changedParts(formula: Formula, before: Earned, after: Earned): PartOfReward[] | undefined {
  if (formula.goals.length === 0) return undefined;
  const was = partsOf(formula, before);
  const is = partsOf(formula, after);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((part) => {
    const [from, to] = [was.get(part) ?? 0, is.get(part) ?? 0];
    return from === to ? [] : [{ part, from, to }];
  });
}
