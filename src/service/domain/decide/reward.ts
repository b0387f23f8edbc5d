/** What each outcome of a message is worth. A message that was dismissed, or not touched in time, earned nothing. */
const WORTH: Readonly<Record<string, number>> = { actioned: 1, clicked: 0.6, opened: 0.2, dismissed: 0 };

/** How long after its decision a message without an outcome counts as one that earned nothing, in ms. */
export const REWARD_WINDOW_MS = 24 * 3600 * 1000;

/** The reward of a decision after one more outcome: the best outcome counts, so order and repeats do not matter. */
export function rewardAfter(known: number | null, outcome: string): number {
  return Math.max(known ?? 0, WORTH[outcome] ?? 0);
}
