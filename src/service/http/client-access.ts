import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { HonoRequest } from 'hono';
import type { Endpoint } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { type ClientScope, UNLIMITED } from '../../contract/limits.ts';
import { Lru } from '../../kit/lru.ts';
import { readUserToken } from '../crypto/user-token.ts';
import { countRequest, type WindowCount } from '../domain/window-counter.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import type { KeyHolder } from '../store/repositories/api-keys.ts';
import { addressOf } from './client-address.ts';
import { admitOrigin } from './cross-origin.ts';

/** Users, addresses and keys whose requests are counted at a time; who asked least recently is forgotten first. */
const MAX_COUNTED = 100_000;

/**
 * Admits the requests of apps, which hold a publishable key and a token of one user (docs/design-choices.md, "Client keys").
 * Returns the only user for whom the request may act; undefined where an open test workspace needs no token. Sets the
 * limit headers, those of the user. Throws forbidden, unauthorized and rate_limited.
 */
export type AdmitClient = (
  request: HonoRequest,
  incoming: IncomingMessage,
  holder: KeyHolder,
  endpoint: Endpoint,
  headers: Headers,
) => string | undefined;

/** `proxies` are the addresses whose X-Forwarded-For is believed. */
export function clientAccess(
  { cipher, clock, policy }: Pick<ServiceDeps, 'cipher' | 'clock' | 'policy'>,
  proxies: BlockList,
): AdmitClient {
  const counts = new Lru<string, WindowCount>(MAX_COUNTED);
  const count = (scope: ClientScope, subject: string, headers: Headers) => {
    const { clientLimits, windowMs } = policy();
    const limit = clientLimits[scope];
    const now = clock.now();
    const key = `${scope} ${subject}`;
    const counted = limit === null ? undefined : countRequest(counts.get(key), now, windowMs, limit);
    if (counted) counts.set(key, counted.count);
    const reset = counted ? counted.count.start + windowMs : now;
    const refused = counted !== undefined && !counted.admitted;
    // An app learns how much is left for its user, and of the key only that it is at its limit.
    if (refused || scope !== 'key') {
      headers.set(HEADERS.limit, String(limit ?? UNLIMITED));
      headers.set(HEADERS.remaining, String(counted?.remaining ?? UNLIMITED));
      headers.set(HEADERS.reset, String(Math.ceil(reset / 1000)));
    }
    if (refused)
      throw new ServiceError('rate_limited', REFUSALS[scope], undefined, {
        [HEADERS.retryAfter]: String(counted.retryAfter),
      });
  };
  return (request, incoming, holder, endpoint, headers) => {
    const { workspace, keyId, clients } = holder;
    admitOrigin(request.header('origin'), clients.origins, headers);
    if (!endpoint.forClients)
      throw new ServiceError(
        'forbidden',
        'A publishable key can only list the messages of a user and report their outcomes.',
      );
    const address = addressOf(incoming, proxies);
    count('address', address, headers);
    const token = request.header(HEADERS.userToken);
    const open = clients.open && workspace.mode === 'test' && token === undefined;
    const user = open
      ? undefined
      : tokenUser(token, (text) => readUserToken(cipher, workspace.id, text, clock.now()));
    // What is refused for one user does not count against the key, which all users share.
    count('user', `${workspace.id} ${user ?? address}`, headers);
    count('key', keyId, headers);
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

function tokenUser(
  token: string | undefined,
  read: (token: string) => ReturnType<typeof readUserToken>,
): string {
  if (token === undefined)
    throw unauthorized('A publishable key needs a user token in X-Service-User-Token.');
  const found = read(token);
  if (found === 'invalid') throw unauthorized('The user token is not valid in this workspace.');
  if (found === 'expired') throw unauthorized('The user token has expired: get a new one from your server.');
  return found.hashId;
}

const unauthorized = (message: string) =>
  new ServiceError('unauthorized', message, undefined, { 'www-authenticate': 'Bearer' });
