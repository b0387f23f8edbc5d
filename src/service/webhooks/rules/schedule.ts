import { LONGEST_RETRY_AFTER_MS } from '../../../kit/retry-after.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays between attempts: the schedule recommended by Standard Webhooks, 75 h 35 min 5 s in total. */
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

/** The first attempt and one after each delay. */
export const MAX_ATTEMPTS = RETRY_GAPS_MS.length + 1;

/** Maximum deviation of a delay from the schedule, as a fraction. */
export const JITTER = 0.2;

/** Jitter of each scheduled time. Half of JITTER, because a delay lies between two of them. */
const TIME_JITTER = 0.1;

/**
 * The time of the next attempt, or null after the last one. `attempts` is the number of attempts made, at least 1; times
 * are unix ms; `random` is in [0, 1).
 *
 * Attempts are scheduled relative to the first one, each with a jitter of up to 10 % of the delay before it, so that the
 * total stays above 73 h; independent jitters of ±20 % per delay could shorten it further. After a late attempt (slow
 * answer, Retry-After, service stopped), the delay is still at least 80 %, so that attempts do not catch up in a burst.
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
  const elapsed = RETRY_GAPS_MS.slice(0, made.attempts).reduce((sum, each) => sum + each, 0);
  const scheduled = made.firstAttemptAt + elapsed + (made.random * 2 - 1) * TIME_JITTER * gap;
  const wait = Math.min(Math.max(scheduled - made.endedAt, gap * (1 - JITTER)), gap * (1 + JITTER));
  return Math.ceil(made.endedAt + Math.max(wait, Math.min(made.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}
