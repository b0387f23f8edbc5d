import { nextAttempt } from './schedule.ts';

/** A subscription without a success for this long is disabled. */
export const FAILING_LIMIT_MS = 5 * 24 * 3600 * 1000;

/** The result of an attempt: an HTTP status, or null without a complete answer. Times are unix ms. */
export interface Attempt {
  readonly status: number | null;
  readonly endedAt: number;
  readonly retryAfterMs: number | null;
}

/** The state of a delivery and its subscription before the attempt. */
export interface Progress {
  /** Earlier attempts of the current series (a redelivery starts a new series). */
  readonly attempts: number;
  /** When the first attempt of the series began; null for the first. */
  readonly firstAttemptAt: number | null;
  /** When the subscription began to fail without a success since; null after a success. */
  readonly failingSince: number | null;
}

export type Verdict =
  | { delivery: 'delivered'; failingSince: null; disable: null }
  | { delivery: 'pending'; nextAttemptAt: number; failingSince: number; disable: null | string }
  | { delivery: 'failed'; failingSince: number; disable: null | string };

/** What a success means. */
export const DELIVERED: Verdict = { delivery: 'delivered', failingSince: null, disable: null };

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/**
 * Determines the consequences of an attempt for its delivery and subscription (docs/design-choices.md, "Delivery retries").
 * 2xx delivers; 410 fails the delivery and disables the subscription; anything else is retried on the schedule. Five
 * days of failures only disable the subscription.
 */
export function judge(before: Progress, attempt: Attempt, random: number): Verdict {
  const { status, endedAt } = attempt;
  if (isSuccess(status)) return DELIVERED;
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
