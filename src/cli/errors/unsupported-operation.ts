import { ApiError } from '../../client/errors.ts';
import { type Hint, SvcError } from './svc-error.ts';

/** Answers that may mean: there is no such operation here (docs/decisions.md, "The client is liberal"). */
export function isUnsupported(error: unknown): error is ApiError {
  return error instanceof ApiError && [404, 405, 501].includes(error.status);
}

/**
 * For an operation on one thing that the specification does not have. A 404 may mean that the thing is missing or the
 * operation is, so both are said. `operation` reads like "show the subscription wh_1", `look` is the next step.
 * Throws `not_found`, `not_offered` (exit 5), or what the call threw.
 */
export async function orUnsupportedOperation<T>(operation: string, look: Hint, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    const words = { hint: look, requestId: error.requestId, cause: error };
    if (error.status === 404)
      throw new SvcError(
        'not_found',
        `the service cannot ${operation} (HTTP 404: ${error.message.replace(/\.$/, '')}): there is none, or it does not offer this`,
        words,
      );
    throw new SvcError(
      'not_offered',
      `the service does not offer to ${operation} (HTTP ${error.status})`,
      words,
    );
  }
}
