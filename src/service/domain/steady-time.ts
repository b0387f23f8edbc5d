/**
 * Time for the rate limit: it moves on with a clock that nobody can set, so that setting the wall clock forward frees
 * no slot and setting it back holds none (docs/decisions.md: "A clock set back or forward grants nothing").
 *
 * A steady clock (`process.hrtime`: milliseconds since the machine started) is the same in every process of a machine
 * and starts again from 0 at a reboot. The last reading is kept beside the log; from it the next one is reckoned.
 */

export interface Anchor {
  /** Time of the log at the reading, in ms. */
  readonly time: number;
  /** The steady clock at the reading, in ms. */
  readonly steady: number;
}

/**
 * The log's time now. Without an anchor it begins at the wall clock. After a reboot the steady clock reads less than
 * the anchor's; what it reads is the least that can have passed, so nothing is freed early, and a slot is held for at
 * most one window from here.
 */
export function steadyTime(anchor: Anchor | undefined, wall: number, steady: number): number {
  if (anchor === undefined) return wall;
  const passed = steady >= anchor.steady ? steady - anchor.steady : steady;
  return anchor.time + passed;
}
