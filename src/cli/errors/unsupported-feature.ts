import { ApiError } from '../../client/errors.ts';
import { SvcError } from './svc-error.ts';
import { localServiceHint } from './to-svc-error.ts';

/**
 * For an operation that the specification does not have: turns a service's answer that it lacks it (404, 405, 501)
 * into plain words, exit 5. `isOurs` tells a 404 that speaks of a missing thing from one about the operation.
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
