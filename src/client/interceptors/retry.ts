import { HEADERS } from '../../contract/headers.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { TransportError } from '../errors.ts';
import type { Incoming, Interceptor } from '../exchange.ts';
import { retryAfterMs } from '../pacer/answer.ts';
import { decideRetry, type Failure } from '../retry-policy.ts';

/** A repeat that is waited for. */
export interface Retry {
  /** Tries made so far. */
  readonly attempt: number;
  readonly waitMs: number;
  /** Of the answer; undefined where none came. */
  readonly status: number | undefined;
}

export interface RetryOptions {
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Told before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** Repeats a request for as long as the retry policy allows it, and waits in between. */
export function retry({ maxRetries, clock, random, onRetry }: RetryOptions): Interceptor {
  return (next) => async (request) => {
    const repeat = request.repeatable ? 'always' : 'keyed';
    for (let tries = 1; ; tries++) {
      const result = await next(request).then(
        (answer) => ({ answer, error: undefined }),
        (error: unknown) => ({ answer: undefined, error }),
      );
      const ended = failureOf(result, clock.now());
      if (ended && mayBeDone(ended)) request.onLost?.();
      const waiting = request.waiting ?? request.signal;
      const failure = waiting?.aborted ? undefined : ended;
      const decision =
        failure && decideRetry(failure, repeat, tries, { maxRetries, keysHonoured: false }, random);
      if (!decision?.repeat) {
        if (result.answer) return result.answer;
        throw result.error;
      }
      onRetry?.({ attempt: tries, waitMs: decision.waitMs, status: result.answer?.status });
      await clock.sleep(decision.waitMs, waiting).catch(() => {
        throw new TransportError(
          'aborted',
          ended !== undefined && mayBeDone(ended),
          'the request was interrupted',
        );
      });
    }
  };
}

function mayBeDone(failure: Failure): boolean {
  return failure.kind === 'lost' || (failure.kind === 'answered' && failure.status >= 500);
}

/** Undefined where there is nothing to repeat: a success, an interruption, a fault of our own. */
function failureOf(
  { answer, error }: { answer: Incoming | undefined; error: unknown },
  now: number,
): Failure | undefined {
  if (answer) {
    if (answer.status < 300) return undefined;
    const wait = retryAfterMs(answer.headers[HEADERS.retryAfter], now);
    return { kind: 'answered', status: answer.status, retryAfterMs: wait };
  }
  if (!(error instanceof TransportError) || error.reason === 'aborted') return undefined;
  return { kind: error.sent ? 'lost' : 'unconnected' };
}
