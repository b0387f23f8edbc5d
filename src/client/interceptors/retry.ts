import { HEADERS } from '../../contract/headers.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { TransportError } from '../errors.ts';
import type { Incoming, Interceptor } from '../exchange.ts';
import { retryAfterMs } from '../pacer/answer.ts';
import { decideRetry, type Failure } from '../retry-policy.ts';

/** A retry that is about to be waited for. */
export interface Retry {
  /** Attempts made so far. */
  readonly attempt: number;
  readonly waitMs: number;
  /** Of the response; undefined if there was none. */
  readonly status: number | undefined;
}

export interface RetryOptions {
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** Retries a request as long as the retry policy allows, with waits in between. */
export function retry({ maxRetries, clock, random, onRetry }: RetryOptions): Interceptor {
  return (next) => async (request) => {
    const repeat = request.repeatable ? 'always' : 'keyed';
    let doubtful = false;
    for (let tries = 1; ; tries++) {
      const result = await next(request).then(
        (answer) => ({ answer, error: undefined }),
        (error: unknown) => ({ answer: undefined, error }),
      );
      const ended = failureOf(result, clock.now());
      if (ended && mayBeProcessed(ended)) {
        doubtful = true;
        request.onLost?.();
      }
      const waiting = request.waiting ?? request.signal;
      const failure = waiting?.aborted ? undefined : ended;
      const decision =
        failure && decideRetry(failure, repeat, tries, { maxRetries, idempotent: false }, random);
      if (!decision?.repeat) {
        if (result.answer) return result.answer;
        throw doubtful && isUnsent(result.error) ? interruptedAfter(doubtful) : result.error;
      }
      onRetry?.({ attempt: tries, waitMs: decision.waitMs, status: result.answer?.status });
      await clock.sleep(decision.waitMs, waiting).catch(() => {
        throw interruptedAfter(doubtful);
      });
    }
  };
}

/** The request was interrupted while it waited. `sent`: an earlier attempt may have been processed. */
const interruptedAfter = (sent: boolean) =>
  new TransportError('aborted', sent, 'the request was interrupted');

const isUnsent = (error: unknown) => error instanceof TransportError && !error.sent;

function mayBeProcessed(failure: Failure): boolean {
  return failure.kind === 'lost' || (failure.kind === 'answered' && failure.status >= 500);
}

/** Classifies a result. Undefined if there is nothing to retry: a success, an interruption, a programming error. */
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
