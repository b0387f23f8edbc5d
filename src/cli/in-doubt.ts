import { ApiError, TransportError } from '../client/errors.ts';
import { SvcError } from './errors.ts';

/**
 * Names what is in doubt where an answer may have been lost and the request could not be repeated safely (a timeout,
 * a reset, a 5xx). `doubt` is a part of a sentence: "whether the subscription was created"; `check` the next step.
 * Throws `in_doubt` (exit 6), or what the call threw.
 */
export async function orInDoubt<T>(doubt: string, check: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const lost =
      (error instanceof TransportError && error.sent && error.reason !== 'aborted') ||
      (error instanceof ApiError && error.status >= 500 && error.status !== 501);
    if (!lost) throw error;
    throw new SvcError('in_doubt', `${withoutStop(error.message)}: it is not known ${doubt}`, {
      hint: check,
      requestId: error instanceof ApiError ? error.requestId : undefined,
      cause: error,
    });
  }
}

const withoutStop = (text: string) => text.replace(/\.$/, '');
