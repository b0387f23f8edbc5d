import { ServiceError } from '../../../contract/errors.ts';
import { CHANNELS } from '../../../contract/schemas.ts';
import { hashId } from '../../crypto/hash-id.ts';
import { userToken } from '../../crypto/user-token.ts';
import { type ConsentStatement, parseScope, scopeText } from '../../domain/notifications/consent.ts';
import { addresses, type SuppressionReason } from '../../store/repositories/addresses.ts';
import { erasures } from '../../store/repositories/erasures.ts';
import { eventHeads } from '../../store/repositories/event-heads.ts';
import { erasingUsers } from '../../store/repositories/ingest/erasing-users.ts';
import { consents } from '../../store/repositories/marketing/consents.ts';
import { users } from '../../store/repositories/users.ts';
import { workspaces } from '../../store/repositories/workspaces.ts';
import type { Tx } from '../../store/store.ts';
import type { Call, Handlers } from '../call.ts';

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
    // With the locks of the users: one whose erasure began meanwhile is found.
    await refuseErasing(tx, workspace.id, changes);
    const named = changes.map((change) => ({ userId: change.userId, hashId: change.hashId }));
    return { body: { users: named, requestId } };
  },

  createUserToken: async ({ workspace, params, body, now, deps }) => ({
    body: userToken(deps.cipher, workspace.id, params.hashId!, now, body.ttlSeconds),
  }),
  setConsent: async ({ tx, workspace, params, body, requestId }) => {
    const hashId = params.hashId!;
    if (!(await users.exists(tx, workspace.id, hashId)))
      throw new ServiceError('not_found', 'No user has this hashId.');
    await consents.add(tx, workspace.id, hashId, statementsOf(body));
    return { body: { ...consentOf(await consents.ofUser(tx, workspace.id, hashId)), requestId } };
  },

  getUser: async (call) => {
    const { tx, workspace, params, deps } = call;
    const hashId = params.hashId!;
    const known = await users.find(tx, deps.cipher, workspace.id, hashId);
    if (!known) {
      if (await erasingUsers.has(tx, workspace.id, hashId)) return { body: erasing(hashId) };
      throw new ServiceError('not_found', 'No user has this hashId.');
    }
    const personal = await users.personal(tx, deps.cipher, workspace.id, hashId);
    const channels = [];
    for (const channel of CHANNELS) channels.push(await reach(call, hashId, channel));
    return {
      body: {
        hashId,
        status: 'known',
        timeZone: known.timeZone,
        locale: known.locale,
        fields: Object.keys(personal ?? {}),
        traits: Object.keys(known.traits).sort(),
        channels,
        ...consentOf(await consents.ofUser(tx, workspace.id, hashId)),
      },
    };
  },

  deleteUser: async ({ tx, workspace, params, requestId, deps }) => {
    const hashId = params.hashId!;
    const started =
      (await erasures.start(tx, deps.cipher, workspace.id, hashId)) ||
      (await erasingUsers.has(tx, workspace.id, hashId));
    if (!started) throw new ServiceError('not_found', 'No user has this hashId.');
    return { body: { hashId, status: 'erasing', requestId } };
  },
};

/** Throws invalid_request for users who are being erased: a new user begins when nothing of the old one is left. */
async function refuseErasing(
  tx: Tx,
  workspaceId: string,
  users: readonly { readonly hashId: string }[],
): Promise<void> {
  if (!(await eventHeads.isErasing(tx, workspaceId))) return;
  const erasing = await erasingUsers.all(tx, workspaceId);
  const refused = users.flatMap(({ hashId }, index) =>
    erasing.has(hashId)
      ? [
          {
            index,
            field: 'userId',
            message: 'is being erased: send it again when GET /v1/users/{hashId} says 404',
          },
        ]
      : [],
  );
  if (refused.length > 0) throw new ServiceError('invalid_request', undefined, refused);
}

/** The answer for a user who is being erased. */
const erasing = (hashId: string) => ({
  hashId,
  status: 'erasing' as const,
  timeZone: null,
  locale: null,
  fields: [],
  traits: [],
  channels: [],
  optedIn: [],
  optedOut: [],
});

/** The addresses of a user for a channel, as numbers. */
async function reach({ tx, workspace, deps }: Call, hashId: string, channel: string) {
  const found = await addresses.addressesOf(tx, deps.cipher, workspace.id, hashId, channel);
  const counted = (reason: SuppressionReason) =>
    found.filter(({ suppressions }) => suppressions.some((each) => each.reason === reason)).length;
  return { channel, addresses: found.length, bounced: counted('bounce'), stopped: counted('stop') };
}

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
