import type { HonoRequest } from 'hono';
import { ServiceError } from '../../../contract/errors.ts';
import { HEADERS } from '../../../contract/headers.ts';
import { SharedRuns } from '../../../kit/shared-runs.ts';
import type { Store } from '../../platform/store/store.ts';
import { apiKeys, hashOfKey, type KeyHolder } from './api-keys.ts';

const keyOf = (request: HonoRequest) =>
  /^Bearer +(\S+)$/i.exec(request.header(HEADERS.authorization) ?? '')?.[1];

/** The hash of the API key of a request, as the store has it. */
export const keyHashOf = (request: HonoRequest): string => hashOfKey(keyOf(request) ?? '');

/**
 * Finds out what the API key of a request opens (specification: Authentication).
 * Throws unauthorized (missing, unknown or revoked key), invalid_request (no workspace header) or forbidden (a key of another
 * workspace).
 */
export type Authenticate = (request: HonoRequest) => Promise<KeyHolder>;

/**
 * Requests with one key that come together share a look into the store, which begins after each of them. `noteUse` gets the
 * identifier of each valid key that came.
 */
export function authenticator(store: Store, noteUse: (keyId: string) => void): Authenticate {
  const looks = new SharedRuns<KeyHolder | undefined>();
  return async (request) => {
    const key = keyOf(request);
    const holder = key && (await looks.run(key, () => apiKeys.holderOf(store, key)));
    if (!holder)
      throw new ServiceError('unauthorized', undefined, undefined, { 'www-authenticate': 'Bearer' });
    noteUse(holder.keyId);
    const named = request.header(HEADERS.workspace);
    if (named === undefined) {
      throw new ServiceError('invalid_request', undefined, [
        { field: 'X-Service-Workspace', message: 'is missing' },
      ]);
    }
    if (named !== holder.workspace.id) throw new ServiceError('forbidden');
    return holder;
  };
}
