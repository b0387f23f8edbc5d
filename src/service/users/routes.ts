import { ServiceError } from '../../contract/errors.ts';
import { CHANNELS } from '../../contract/schemas.ts';
import { userToken } from '../http/access/user-token.ts';
import type { Call, Endpoints } from '../http/endpoint.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { hashId } from '../platform/crypto/hash-id.ts';
import { erasingUsers } from '../platform/store/erasing-users.ts';
import type { Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { type ConsentStatement, parseScope, scopeText } from './consent.ts';
import { addresses, type SuppressionReason } from './store/addresses.ts';
import { consents } from './store/consents.ts';
import { userRuns } from './store/user-runs.ts';
import { users } from './store/users.ts';

export const userEndpoints = (cipher: Cipher): Endpoints => ({
  ingestUsers: {
    priority: 'bulk',
    records: 'users',
    concurrencyKeys: ({ body }) => body.users.map(({ userId }) => ({ key: `identity ${userId}` })),
    handle: async ({ tx, workspace, body, run, requestId }) => {
      if (run !== undefined && (await userRuns.isTakenBack(tx, workspace.id, run)))
        throw new ServiceError('conflict', `The run ${run} was taken back: it cannot send more users.`);
      const key = await workspaces.hashKey(tx, workspace.id);
      const changes = body.users.map((user) => ({ ...user, hashId: hashId(key, user.userId) }));
      await users.upsert(tx, cipher, workspace.id, changes, run);
      const devices = changes.flatMap((user) =>
        (user.devices ?? []).map((device) => ({ ...device, hashId: user.hashId })),
      );
      await addresses.registerDevices(tx, cipher, workspace.id, devices);
      for (const { hashId, ...user } of changes)
        await consents.add(tx, workspace.id, hashId, statementsOf(user));
      // With the locks of the users: one whose erasure began meanwhile is found.
      await refuseErasing(tx, workspace.id, changes);
      const named = changes.map((change) => ({ userId: change.userId, hashId: change.hashId }));
      return { body: { users: named, requestId } };
    },
  },

  createUserToken: async ({ tx, workspace, params, body, now }) => {
    const { ttlSeconds, userId } = body;
    if (userId !== undefined && hashId(await workspaces.hashKey(tx, workspace.id), userId) !== params.hashId)
      throw new ServiceError('invalid_request', undefined, [
        { field: 'userId', message: 'is of another user: its hashId is not that of the path' },
      ]);
    return { body: userToken(cipher, workspace.id, params.hashId!, now, ttlSeconds, userId) };
  },

  setConsent: async ({ tx, workspace, params, body, requestId }) => {
    const hashId = params.hashId!;
    if (!(await users.existsAndLock(tx, workspace.id, hashId)))
      throw new ServiceError('not_found', 'No user has this hashId.');
    await consents.add(tx, workspace.id, hashId, statementsOf(body));
    await users.markUsed(tx, workspace.id, hashId);
    return { body: { ...consentOf(await consents.ofUser(tx, workspace.id, hashId)), requestId } };
  },

  getUser: async (call) => {
    const { tx, workspace, params } = call;
    const hashId = params.hashId!;
    const known = await users.find(tx, cipher, workspace.id, hashId);
    if (!known) {
      if (await erasingUsers.has(tx, workspace.id, hashId)) return { body: erasing(hashId) };
      throw new ServiceError('not_found', 'No user has this hashId.');
    }
    const personal = await users.personal(tx, cipher, workspace.id, hashId);
    const channels = [];
    for (const channel of CHANNELS) channels.push(await reach(call, cipher, hashId, channel));
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
});

/** Throws invalid_request for users who are being erased: a new user begins when nothing of the old one is left. */
async function refuseErasing(
  tx: Tx,
  workspaceId: string,
  users: readonly { readonly hashId: string }[],
): Promise<void> {
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
  optIn: [],
  optOut: [],
});

/** The addresses of a user for a channel, as numbers. */
async function reach({ tx, workspace }: Call, cipher: Cipher, hashId: string, channel: string) {
  const found = await addresses.addressesOf(tx, cipher, workspace.id, hashId, channel);
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

function consentOf(statements: readonly ConsentStatement[]): { optIn: string[]; optOut: string[] } {
  const of = (state: ConsentStatement['state']) =>
    statements.filter((each) => each.state === state).map(scopeText);
  return { optIn: of('in'), optOut: of('out') };
}
