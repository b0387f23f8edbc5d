const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits between one attempt and the next: the schedule that Standard Webhooks recommends, 75 h 35 min 5 s in all. */
export const RETRY_GAPS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The first attempt and one after each gap. */
export const MAX_ATTEMPTS = RETRY_GAPS_MS.length + 1;

/** The longest that a receiver can put off the next attempt, in ms. */
export const LONGEST_RETRY_AFTER_MS = 7 * 24 * HOUR;

/** Furthest that a gap strays from the schedule, as a part of it. */
export const JITTER = 0.2;

/** Jitter of an attempt's own place in the plan; two neighbours of opposite sign keep a gap inside JITTER. */
const PLACE_JITTER = 0.1;

/**
 * When to try again, in unix ms, or null after the last attempt. `attempts` counts those made, 1 or more; times are
 * unix ms; `random` is in [0, 1).
 *
 * Attempts aim at places in a plan that hangs on the first one, each moved by up to 10 % of the gap before it, so
 * the whole never shrinks below 73 h as it would if every gap drew its own ±20 %. An attempt that came late (slow
 * answer, Retry-After, service stopped) is followed by no less than 80 % of the gap: nothing is made up for in a burst.
 */
export function nextAttempt(made: {
  attempts: number;
  firstAttemptAt: number;
  endedAt: number;
  retryAfterMs: number | null;
  random: number;
}): number | null {
  const gap = RETRY_GAPS_MS[made.attempts - 1];
  if (gap === undefined) return null;
  const planned = RETRY_GAPS_MS.slice(0, made.attempts).reduce((sum, each) => sum + each, 0);
  const place = made.firstAttemptAt + planned + (made.random * 2 - 1) * PLACE_JITTER * gap;
  const wait = Math.min(Math.max(place - made.endedAt, gap * (1 - JITTER)), gap * (1 + JITTER));
  return Math.ceil(made.endedAt + Math.max(wait, Math.min(made.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}
