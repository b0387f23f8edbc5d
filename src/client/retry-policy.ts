import type { Repeat } from '../contract/endpoints.ts';

/** How one try of a request ended, where it did not end in success. */
export type Failure =
  /** The service answered: any status of 400 and above. */
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number | undefined }
  /** The connection was never made (refused, no such host, TLS): the service saw nothing. */
  | { readonly kind: 'unconnected' }
  /** The request left and no whole answer came: timeout, reset, a truncated or unreadable answer. */
  | { readonly kind: 'lost' };

export interface RetryRules {
  /** Most repeats of one request (specification: 5). */
  readonly maxRetries: number;
  /** Whether the service is known to honour Idempotency-Key. */
  readonly keysHonoured: boolean;
}

/** What to do after a failed try. */
export type RetryDecision =
  | { readonly repeat: true; readonly waitMs: number }
  /** `inDoubt`: it may have been carried out, and repeating it could do it twice. */
  | { readonly repeat: false; readonly inDoubt: boolean };

const BACKOFF_MS = 500;
const BACKOFF_CAP_MS = 30_000;
const JITTER_MS = 500;

/**
 * May this request be sent again, and after which wait? Specification: Recommended client behaviour;
 * docs/decisions.md: "Repeating a request".
 *
 * A 429 and a connection that was never made are always repeated. After an answer that may have been lost, what has
 * the same effect twice is repeated, the rest only where keys are honoured. Any other 4xx is final.
 * `tries` is how many were made, at least 1; `random` is in [0, 1).
 */
export function decideRetry(
  failure: Failure,
  repeat: Repeat,
  tries: number,
  rules: RetryRules,
  random: () => number,
): RetryDecision {
  const nothingDone =
    failure.kind === 'unconnected' || (failure.kind === 'answered' && !isPassing(failure.status));
  const safe = nothingDone || repeat === 'always' || rules.keysHonoured;
  const passing = failure.kind !== 'answered' || failure.status === 429 || isPassing(failure.status);
  const retryAfter = failure.kind === 'answered' ? failure.retryAfterMs : undefined;
  if (passing && safe && tries <= rules.maxRetries)
    return { repeat: true, waitMs: retryWait(tries, retryAfter, random) };
  return { repeat: false, inDoubt: !nothingDone };
}

/**
 * The wait before try number `tries + 1`, in ms: the larger of Retry-After and an exponential backoff, plus 0 to 500 ms.
 * The cap of 30 s bounds the backoff alone; a longer Retry-After is obeyed.
 */
export function retryWait(tries: number, retryAfterMs: number | undefined, random: () => number): number {
  const backoff = Math.min(BACKOFF_CAP_MS, BACKOFF_MS * 2 ** (tries - 1));
  return Math.max(retryAfterMs ?? 0, backoff) + random() * JITTER_MS;
}

/** A 5xx that may go away. 501 and 505 say that the service will never do it. */
function isPassing(status: number): boolean {
  return status >= 500 && status !== 501 && status !== 505;
}
