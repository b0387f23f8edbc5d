import { hashId } from '../../crypto/hash-id.ts';
import { userToken } from '../../crypto/user-token.ts';
import { users } from '../../store/repositories/users.ts';
import { workspaces } from '../../store/repositories/workspaces.ts';
import type { Handlers } from '../call.ts';

export const userHandlers: Handlers = {
  ingestUsers: async ({ tx, workspace, body, requestId, deps }) => {
    const key = await workspaces.hashKey(tx, workspace.id);
    const changes = body.users.map((user) => ({ ...user, hashId: hashId(key, user.userId) }));
    await users.upsert(tx, deps.cipher, workspace.id, changes);
    const named = changes.map((change) => ({ userId: change.userId, hashId: change.hashId }));
    return { body: { users: named, requestId } };
  },

  createUserToken: async ({ workspace, params, body, now, deps }) => ({
    body: userToken(deps.cipher, workspace.id, params.hashId!, now, body.ttlSeconds),
  }),
};
