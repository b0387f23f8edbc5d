import { ApiError } from '../../client/errors.ts';
import { type Hint, SvcError } from './svc-error.ts';

/** Returns whether a response may mean that the operation is unsupported (docs/design-choices.md, "The client is liberal"). */
export function isUnsupported(error: unknown): error is ApiError {
  return error instanceof ApiError && [404, 405, 501].includes(error.status);
}

/**
 * Reports an unsupported operation on a resource, for operations that are not part of the specification. A 404 may mean
 * that either is missing, so the message names both. `operation` reads like "show the subscription wh_1".
 * Throws `not_found`, `not_offered` (exit 5), or the error of the call.
 */
export async function orUnsupportedOperation<T>(operation: string, hint: Hint, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    const words = { hint, requestId: error.requestId, cause: error };
    if (error.status === 404)
      throw new SvcError(
        'not_found',
        `the service cannot ${operation} (HTTP 404: ${error.message.replace(/\.$/, '')}): it does not exist, or the service does not offer this`,
        words,
      );
    throw new SvcError(
      'not_offered',
      `the service does not offer to ${operation} (HTTP ${error.status})`,
      words,
    );
  }
}
