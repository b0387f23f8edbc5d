import { ServiceError } from '../../../contract/errors.ts';
import { hashId } from '../../crypto/hash-id.ts';
import { type ConsentStatement, parseScope, scopeText } from '../../domain/notifications/consent.ts';
import { addresses } from '../../store/repositories/addresses.ts';
import { consents } from '../../store/repositories/consents.ts';
import { users } from '../../store/repositories/users.ts';
import { workspaces } from '../../store/repositories/workspaces.ts';
import type { Handlers } from '../call.ts';

export const userHandlers: Handlers = {
  ingestUsers: async ({ tx, workspace, body, requestId, deps }) => {
    const key = await workspaces.hashKey(tx, workspace.id);
    const changes = body.users.map((user) => ({ ...user, hashId: hashId(key, user.userId) }));
    await users.upsert(tx, deps.cipher, workspace.id, changes);
    const devices = changes.flatMap((user) =>
      (user.devices ?? []).map((device) => ({ ...device, hashId: user.hashId })),
    );
    await addresses.registerDevices(tx, deps.cipher, workspace.id, devices);
    for (const { hashId, ...user } of changes)
      await consents.add(tx, workspace.id, hashId, statementsOf(user));
    const named = changes.map((change) => ({ userId: change.userId, hashId: change.hashId }));
    return { body: { users: named, requestId } };
  },

  setConsent: async ({ tx, workspace, params, body, requestId }) => {
    const hashId = params.hashId!;
    if (!(await users.exists(tx, workspace.id, hashId)))
      throw new ServiceError('not_found', 'No user has this hashId.');
    await consents.add(tx, workspace.id, hashId, statementsOf(body));
    return { body: { ...consentOf(await consents.ofUser(tx, workspace.id, hashId)), requestId } };
  },
};

/** The statements of a request. A refusal is applied last, so that it holds where both name the same. */
function statementsOf({
  optIn = [],
  optOut = [],
}: {
  readonly optIn?: readonly string[] | undefined;
  readonly optOut?: readonly string[] | undefined;
}): ConsentStatement[] {
  const as = (state: ConsentStatement['state']) => (text: string) => ({ ...parseScope(text)!, state });
  return [...optIn.map(as('in')), ...optOut.map(as('out'))];
}

function consentOf(statements: readonly ConsentStatement[]): { optedIn: string[]; optedOut: string[] } {
  const of = (state: ConsentStatement['state']) =>
    statements.filter((each) => each.state === state).map(scopeText);
  return { optedIn: of('in'), optedOut: of('out') };
}
