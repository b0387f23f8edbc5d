/** The reward of a click, from which a decision counts as rewarded. */
export const CLICKED = 0.6;

/** What each outcome of a message is worth. A message that was dismissed, or not touched in time, earned nothing. */
const WORTH: Readonly<Record<string, number>> = { actioned: 1, clicked: CLICKED, opened: 0.2, dismissed: 0 };

/** The reward of a decision after one more outcome: the best outcome counts, so order and repeats do not matter. */
export function rewardAfter(known: number | null, outcome: string): number {
  return Math.max(known ?? 0, WORTH[outcome] ?? 0);
}

/** How much of a response a reward is: a click and an action are a whole one, an opened message a third. */
export function responseOf(reward: number): number {
  return Math.min(1, Math.max(0, reward / CLICKED));
}
