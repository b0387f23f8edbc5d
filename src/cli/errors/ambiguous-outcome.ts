import { ApiError, TransportError } from '../../client/errors.ts';
import { type Hint, SvcError } from './svc-error.ts';

/**
 * Names what is in doubt where an answer may have been lost and the request could not be repeated safely (a timeout,
 * a reset, a 5xx, an interruption). `doubt` is a part of a sentence: "whether the subscription was created"; `check`
 * the next step. Throws `in_doubt` (exit 6), `interrupted`, or what the call threw.
 */
export async function orAmbiguous<T>(doubt: string, check: Hint, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const lost =
      (error instanceof TransportError && error.sent) ||
      (error instanceof ApiError && error.status >= 500 && error.status !== 501);
    if (!lost) throw error;
    const stopped = error instanceof TransportError && error.reason === 'aborted';
    throw new SvcError(
      stopped ? 'interrupted' : 'in_doubt',
      `${withoutStop(error.message)}: it is not known ${doubt}`,
      {
        hint: check,
        requestId: error instanceof ApiError ? error.requestId : undefined,
        cause: error,
      },
    );
  }
}

const withoutStop = (text: string) => text.replace(/\.$/, '');
