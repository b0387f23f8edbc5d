import type { HonoRequest } from 'hono';
import { ServiceError } from '../../../contract/errors.ts';
import { HEADERS } from '../../../contract/headers.ts';
import { SharedRuns } from '../../../kit/shared-runs.ts';
import type { Store, Tx } from '../../platform/store/store.ts';
import { type StoredWorkspace, type Workspace, workspaces } from '../../platform/store/workspaces.ts';
import { apiKeys, hashOfKey, type KeyHolder } from './api-keys.ts';

const keyOf = (request: HonoRequest) =>
  /^Bearer +(\S+)$/i.exec(request.header(HEADERS.authorization) ?? '')?.[1];

/** The hash of the API key of a request, as the store has it. */
export const keyHashOf = (request: HonoRequest): string => hashOfKey(keyOf(request) ?? '');

/** When a client should ask again for a frozen workspace, in s. */
const FROZEN_SECONDS = 5;

/** The workspace of a request that comes without a key, if there is one. Throws unavailable while it is frozen. */
export async function workspaceOf(store: Store, id: string): Promise<Workspace | undefined> {
  const workspace = await store.read((tx) => workspaces.get(tx, id));
  if (workspace) refuseFrozen(workspace);
  return workspace;
}

/**
 * Throws unavailable if a workspace is frozen by now. To be asked in each transaction that writes for a request: its body may
 * come long after its key, and what is acknowledged after a freeze is in no copy.
 */
export async function assertOpen(tx: Tx, id: string): Promise<void> {
  const workspace = await workspaces.get(tx, id);
  if (workspace) refuseFrozen(workspace);
}

function refuseFrozen({ id, frozenAt }: StoredWorkspace): void {
  if (frozenAt === null) return;
  throw new ServiceError(
    'unavailable',
    `The workspace ${id} is frozen, for example to be moved. Try again.`,
    undefined,
    {
      [HEADERS.retryAfter]: String(FROZEN_SECONDS),
    },
  );
}

/**
 * Finds out what the API key of a request opens (specification: Authentication).
 * Throws unauthorized (missing, unknown or revoked key), unavailable (a frozen workspace), invalid_request (no workspace
 * header) or forbidden (a key of another workspace).
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
    refuseFrozen(holder.workspace);
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
