import type { Hint } from '../../cli/errors/svc-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { toSvcError } from '../../cli/errors/to-svc-error.ts';
import { ApiError } from '../../client/errors.ts';

/**
 * Awaits a change of the catalog. Throws `refused` with this hint if the catalog is not what the change expects (HTTP
 * 409): another version, changes of other authors, or a file that is used instead.
 */
export async function orConflict<T>(hint: Hint, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const { code, message, requestId } = toSvcError(error, false);
    throw new SvcError(code, message, { hint, requestId, cause: error });
  }
}
