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

/** The reward that is learned of a decision, in 0 to 1. One that was reported for the whole decision replaces the rest. */
export function rewardOf(formula: Formula, earned: Earned): number {
  const whole = earned.given[''];
  if (whole !== undefined) return whole;
  const sum = formula.goals.reduce(
    (total, goal) => total + goal.weight * goalValue(earned, goal),
    formula.outcomes * (earned.earned ?? 0),
  );
  return Math.min(1, sum);
}
