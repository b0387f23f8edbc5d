import { ApiError } from '../../client/errors.ts';
import { localServiceHint } from './service-error.ts';
import { SvcError } from './svc-error.ts';

/**
 * Turns 404, 405 or 501 into `not_offered` (exit 5), for an operation that is not part of the specification.
 * `isOurs` recognizes a 404 that is about a missing resource and not about the operation.
 */
export function orUnsupportedFeature<T>(
  operation: string,
  call: Promise<T>,
  isOurs: (error: ApiError) => boolean = () => false,
): Promise<T> {
  return call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || ![404, 405, 501].includes(error.status) || isOurs(error)) throw error;
    throw new SvcError('not_offered', `the service does not offer ${operation} (HTTP ${error.status})`, {
      hint: localServiceHint,
      requestId: error.requestId,
      cause: error,
    });
  });
}
