import { nextAttempt } from './schedule.ts';

/** A subscriber that does nothing but fail for this long is switched off. */
export const FAILING_LIMIT_MS = 5 * 24 * 3600 * 1000;

/** How an attempt ended: an HTTP status, or null where no complete answer came. Times are unix ms. */
export interface Attempt {
  readonly status: number | null;
  readonly endedAt: number;
  readonly retryAfterMs: number | null;
}

/** What is known of a delivery and its subscription before the attempt. */
export interface Progress {
  /** Attempts made before this one in the present round (a redelivery starts a new round). */
  readonly attempts: number;
  /** When the first attempt of the round began; null where this is the first. */
  readonly firstAttemptAt: number | null;
  /** Since when the subscription has seen nothing but failures; null after a success. */
  readonly failingSince: number | null;
}

export type Verdict =
  | { delivery: 'delivered'; failingSince: null; disable: null }
  | { delivery: 'pending'; nextAttemptAt: number; failingSince: number; disable: null | string }
  | { delivery: 'failed'; failingSince: number; disable: null | string };

/**
 * What an attempt means for its delivery and its subscription (docs/decisions.md, "Delivery retries"):
 * 2xx delivers; 410 fails it and disables the subscription; anything else is tried again on the schedule, and five
 * days of nothing but failures disable.
 */
export function judge(before: Progress, attempt: Attempt, random: number): Verdict {
  const { status, endedAt } = attempt;
  if (status !== null && status >= 200 && status < 300)
    return { delivery: 'delivered', failingSince: null, disable: null };
  const failingSince = before.failingSince ?? endedAt;
  if (status === 410) return { delivery: 'failed', failingSince, disable: 'the receiver answered 410 Gone' };
  const disable = endedAt - failingSince >= FAILING_LIMIT_MS ? 'nothing but failures for five days' : null;
  const at = nextAttempt({
    attempts: before.attempts + 1,
    firstAttemptAt: before.firstAttemptAt ?? endedAt,
    endedAt,
    retryAfterMs: attempt.retryAfterMs,
    random,
  });
  return at === null
    ? { delivery: 'failed', failingSince, disable }
    : { delivery: 'pending', nextAttemptAt: at, failingSince, disable };
}
