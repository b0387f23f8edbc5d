import type { Repeat } from '../contract/endpoints.ts';

/** How an attempt failed. */
export type Failure =
  /** The service responded with a status of 300 or above. */
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number | undefined }
  /** Nothing was written (refused, unknown host, TLS), so the service received nothing. */
  | { readonly kind: 'unconnected' }
  /** The request was sent and no complete response arrived: timeout, reset, a truncated or unreadable response. */
  | { readonly kind: 'lost' };

export interface RetryRules {
  /** Maximum number of retries of one request (specification: 5). */
  readonly maxRetries: number;
  /** Whether the service is known to support Idempotency-Key. */
  readonly idempotent: boolean;
}

/** What to do after a failed attempt. */
export type RetryDecision =
  | { readonly repeat: true; readonly waitMs: number }
  /** `ambiguous`: the request may have been processed, and a retry might process it twice. */
  | { readonly repeat: false; readonly ambiguous: boolean };

const BACKOFF_MS = 500;
const BACKOFF_CAP_MS = 30_000;
const JITTER_MS = 500;

/**
 * Decides whether to retry a request, and after which wait (specification: Recommended client behaviour;
 * docs/design-choices.md: "Repeating a request").
 *
 * A 429 and a failed connection are always retried. After a 5xx or a lost response, a request that has the same effect
 * twice is retried, any other only if the service supports idempotency keys. Any other 4xx is final.
 * `tries` is the number of attempts made, at least 1; `random` is in [0, 1).
 */
export function decideRetry(
  failure: Failure,
  repeat: Repeat,
  tries: number,
  rules: RetryRules,
  random: () => number,
): RetryDecision {
  const notProcessed =
    failure.kind === 'unconnected' || (failure.kind === 'answered' && !isTransient(failure.status));
  const safe = notProcessed || repeat === 'always' || rules.idempotent;
  const transient = failure.kind !== 'answered' || failure.status === 429 || isTransient(failure.status);
  const retryAfter = failure.kind === 'answered' ? failure.retryAfterMs : undefined;
  if (transient && safe && tries <= rules.maxRetries)
    return { repeat: true, waitMs: retryWait(tries, retryAfter, random) };
  return { repeat: false, ambiguous: !notProcessed };
}

/**
 * Returns the wait before the next attempt, in ms: the larger of Retry-After and an exponential backoff, plus 0 to
 * 500 ms. The cap of 30 s applies to the backoff only; a longer Retry-After is obeyed.
 */
export function retryWait(tries: number, retryAfterMs: number | undefined, random: () => number): number {
  const backoff = Math.min(BACKOFF_CAP_MS, BACKOFF_MS * 2 ** (tries - 1));
  return Math.max(retryAfterMs ?? 0, backoff) + random() * JITTER_MS;
}

/** True for a 5xx that may go away; 501 and 505 are permanent. */
function isTransient(status: number): boolean {
  return status >= 500 && status !== 501 && status !== 505;
}
