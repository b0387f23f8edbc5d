import { HEADERS } from '../../contract/headers.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { TransportError } from '../errors.ts';
import type { Incoming, Interceptor, Outgoing } from '../exchange.ts';

export interface RetryOptions {
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Told before each wait. */
  readonly onRetry?:
    | ((wait: { attempt: number; waitMs: number; status: number | undefined }) => void)
    | undefined;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
const JITTER_MS = 500;

/**
 * Repeats a request as docs/decisions.md, "Repeating a request", allows: a 429 and a connection that was never made
 * always; an answer that may have been lost only where the request is repeatable. Waits the larger of Retry-After and
 * an exponential backoff (capped at 30 s), plus up to 500 ms.
 */
export function retry({ maxRetries, clock, random, onRetry }: RetryOptions): Interceptor {
  return (next) => async (request) => {
    for (let attempt = 0; ; attempt++) {
      const result = await next(request).then(
        (answer) => ({ answer, error: undefined }),
        (error: unknown) => ({ answer: undefined, error }),
      );
      if (attempt >= maxRetries || !mayRepeat(request, result)) {
        if (result.answer) return result.answer;
        throw result.error;
      }
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, LONGEST_BACKOFF_MS);
      const waitMs = Math.max(backoff, retryAfterMs(result.answer)) + random() * JITTER_MS;
      onRetry?.({ attempt: attempt + 1, waitMs, status: result.answer?.status });
      await clock.sleep(waitMs, request.signal).catch(() => {
        throw new TransportError('aborted', result.answer === undefined, 'the request was interrupted');
      });
    }
  };
}

function mayRepeat(
  request: Outgoing,
  { answer, error }: { answer: Incoming | undefined; error: unknown },
): boolean {
  if (request.signal?.aborted) return false;
  if (answer) return answer.status === 429 || (answer.status >= 500 && request.repeatable);
  if (!(error instanceof TransportError) || error.reason === 'aborted') return false;
  return !error.sent || request.repeatable;
}

/** Retry-After in milliseconds: seconds, or an HTTP date (RFC 9110 section 10.2.3). */
function retryAfterMs(answer: Incoming | undefined): number {
  const text = answer?.headers[HEADERS.retryAfter];
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now());
}
