import type { HonoRequest } from 'hono';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Store } from '../store/store.ts';
import { type Workspace, workspaces } from '../store/workspaces.ts';

/**
 * Finds the workspace of a request by its key (specification: Authentication).
 * Throws unauthorized (no key, a key nobody issued) or forbidden (a key of another workspace).
 */
export async function authenticate(request: HonoRequest, store: Store): Promise<Workspace> {
  const key = /^Bearer +(\S+)$/i.exec(request.header(HEADERS.authorization) ?? '')?.[1];
  if (!key) throw new ServiceError('unauthorized', undefined, undefined, { 'www-authenticate': 'Bearer' });
  const workspace = await store.read((tx) => workspaces.ofKey(tx, key));
  if (!workspace)
    throw new ServiceError('unauthorized', undefined, undefined, { 'www-authenticate': 'Bearer' });
  const named = request.header(HEADERS.workspace);
  if (named === undefined) {
    throw new ServiceError('invalid_request', undefined, [
      { field: 'X-Service-Workspace', message: 'is missing' },
    ]);
  }
  if (named !== workspace.id) throw new ServiceError('forbidden');
  return workspace;
}
