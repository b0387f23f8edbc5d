import { LONGEST_RETRY_AFTER_MS, parseRetryAfter } from '../../../kit/retry-after.ts';
import { EXCHANGE_DEADLINE_MS, type ExchangeOptions, exchange } from './exchange.ts';

/** Milliseconds in which a receiver must answer completely, connection and body included (docs/design-choices.md). */
export const DELIVERY_DEADLINE_MS = EXCHANGE_DEADLINE_MS;

export interface PostOptions extends ExchangeOptions {
  /** Wall clock, Unix ms; for a Retry-After that is a date. */
  readonly now: () => number;
}

/** The result of one attempt. `status` is null if no complete answer arrived, and `error` then says why. */
export interface PostResult {
  readonly status: number | null;
  readonly error: string | null;
  /** Milliseconds that the receiver asked to wait, or null. */
  readonly retryAfterMs: number | null;
}

/** Sends one delivery and reads the answer within one deadline. Never throws: every failure is a result. */
export async function post(
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
  options: PostOptions,
): Promise<PostResult> {
  const result = await exchange(url, body, headers, options);
  if (result.status === null) return { status: null, error: result.error, retryAfterMs: null };
  const retryAfterMs = parseRetryAfter(result.retryAfter, {
    now: options.now(),
    longestMs: LONGEST_RETRY_AFTER_MS,
  });
  return { status: result.status, error: null, retryAfterMs: retryAfterMs ?? null };
}
