import { ApiError, TransportError } from '../../client/errors.ts';
import { type Hint, SvcError } from './svc-error.ts';

/**
 * Reports an ambiguous outcome: the response was lost and the request cannot be retried safely (a timeout, a reset,
 * a 5xx, an interrupt). `question` completes "it is not known …", such as "whether the subscription was created";
 * `check` is the hint. Throws `in_doubt` (exit 6), `interrupted`, or the error of the call.
 */
export async function orAmbiguous<T>(question: string, check: Hint, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const lost =
      (error instanceof TransportError && error.sent) ||
      (error instanceof ApiError && error.status >= 500 && error.status !== 501);
    if (!lost) throw error;
    const interrupted = error instanceof TransportError && error.reason === 'aborted';
    throw new SvcError(
      interrupted ? 'interrupted' : 'in_doubt',
      `${withoutPeriod(error.message)}: it is not known ${question}`,
      {
        hint: check,
        requestId: error instanceof ApiError ? error.requestId : undefined,
        cause: error,
      },
    );
  }
}

const withoutPeriod = (text: string) => text.replace(/\.$/, '');
