import type { IncomingMessage } from 'node:http';
import type { HonoRequest } from 'hono';
import type { Endpoint } from '../../../contract/endpoints.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { HEADERS } from '../../../contract/headers.ts';
import { type ClientScope, UNLIMITED } from '../../../contract/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Policy } from '../../platform/settings.ts';
import type { AnswerHeaders } from '../answer-headers.ts';
import type { KeyHolder } from './api-keys.ts';
import { addressOf, type IsProxy } from './client-address.ts';
import { type CountClients, clientCounts } from './client-counts.ts';
import { admitOrigin } from './cross-origin.ts';
import { type ReadToken, rememberingTokens } from './user-token.ts';

/**
 * Admits the requests of apps, which hold a publishable key and a token of one user (docs/design-choices.md, "Client keys").
 * Resolves with the only user for whom the request may act; undefined where an open test workspace needs no token. Sets the
 * limit headers, those of the user. Rejects with forbidden, unauthorized and rate_limited.
 */
export type AdmitClient = (
  request: HonoRequest,
  incoming: IncomingMessage,
  holder: KeyHolder,
  endpoint: Endpoint,
  headers: AnswerHeaders,
) => Promise<string | undefined>;

/** Who a request counts for. */
interface Asked {
  readonly scope: ClientScope;
  readonly subject: string;
}

/** `counts` counts the requests of this process, or of the node that it is one of; `isProxy` tells the addresses whose X-Forwarded-For is believed. */
export function clientAccess(
  { cipher, clock, machine }: Pick<Platform, 'cipher' | 'clock' | 'machine'>,
  policy: () => Policy,
  isProxy: IsProxy,
  counts: CountClients = clientCounts(machine),
): AdmitClient {
  const count = async (asked: readonly Asked[], headers: AnswerHeaders) => {
    const { clientLimits, windowMs } = policy();
    const limits = asked.map(({ scope, subject }) => ({
      key: `${scope} ${subject}`,
      limit: clientLimits[scope],
    }));
    const verdict = await counts({ windowMs, limits });
    verdict.forEach((counted, i) => {
      const { scope } = asked[i]!;
      const refused = counted?.admitted === false;
      // An app learns how much is left for its user, and of the key only that it is at its limit.
      if (refused || scope !== 'key') {
        headers.set(HEADERS.limit, String(clientLimits[scope] ?? UNLIMITED));
        headers.set(HEADERS.remaining, String(counted?.remaining ?? UNLIMITED));
        const reset = counted ? counted.count.start + windowMs : machine.now();
        headers.set(HEADERS.reset, String(Math.ceil(reset / 1000)));
      }
      if (refused)
        throw new ServiceError('rate_limited', REFUSALS[scope], undefined, {
          [HEADERS.retryAfter]: String(counted.retryAfter),
        });
    });
  };
  const readToken = rememberingTokens(cipher);
  return async (request, incoming, holder, endpoint, headers) => {
    const { workspace, keyId, clients } = holder;
    // By which an app corrects its clock: that of the service, which a test may move.
    headers.set('date', new Date(clock.now()).toUTCString());
    admitOrigin(request.header('origin'), clients.origins, headers);
    if (!endpoint.forClients)
      throw new ServiceError(
        'forbidden',
        'A publishable key can only track events of a user, list the messages of the user and report their outcomes.',
      );
    const address = addressOf(incoming, isProxy);
    const ofAddress: Asked = { scope: 'address', subject: address };
    const token = request.header(HEADERS.userToken);
    const open = clients.open && workspace.mode === 'test' && token === undefined;
    let user: string | undefined;
    try {
      if (!open) user = tokenUser(token, (text) => readToken(workspace.id, text, clock.now()));
    } catch (error) {
      await count([ofAddress], headers);
      throw error;
    }
    // What is refused for one user does not count against the key, which all users share.
    const ofUser: Asked = { scope: 'user', subject: `${workspace.id} ${user ?? address}` };
    await count([ofAddress, ofUser, { scope: 'key', subject: keyId }], headers);
    const asked = request.query('hashId');
    if (user !== undefined && asked !== undefined && asked !== user)
      throw new ServiceError('forbidden', 'The user token is of another user.');
    return user;
  };
}

const REFUSALS: Readonly<Record<ClientScope, string>> = {
  user: 'The user is over the limit of requests with a publishable key.',
  address: 'The address is over the limit of requests with a publishable key.',
  key: 'The publishable key is over its limit.',
};

function tokenUser(token: string | undefined, read: (token: string) => ReturnType<ReadToken>): string {
  if (token === undefined)
    throw unauthorized('A publishable key needs a user token in X-Service-User-Token.');
  const found = read(token);
  if (found === 'invalid') throw unauthorized('The user token is not valid in this workspace.');
  if (found === 'expired') throw unauthorized('The user token has expired: get a new one from your server.');
  return found.hashId;
}

const unauthorized = (message: string) =>
  new ServiceError('unauthorized', message, undefined, { 'www-authenticate': 'Bearer' });
