import { sign } from 'node:crypto';
import { signedHeaders } from '../../../contract/signed-headers.ts';
import type { ExchangeResult } from '../../platform/egress/exchange.ts';
import type { SendResult } from './channel.ts';
import { fillText } from './file/fill.ts';
import type { Provider } from './file/load.ts';
import { textAt } from './file/values.ts';
import type { Outgoing } from './outgoing.ts';
import { retryAfterOf } from './retry-after.ts';

/** The headers that authenticate a request, or why there are none. */
type Credentials =
  | { readonly ok: true; readonly headers: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly result: SendResult };

export interface Authentication {
  /** Never throws. `id` names the message. */
  headersFor(id: string, body: Uint8Array, signal: AbortSignal): Promise<Credentials>;
  /** Drops a token that the provider refused. Returns true if there was one, so that a new one may help. */
  drop(): boolean;
}

export interface AuthenticationParts {
  readonly outgoing: Outgoing;
  readonly deadlineMs: number;
  /** Unix ms. */
  readonly now: () => number;
}

/** A token is replaced so long before it expires, in ms. */
const EARLY_MS = 60_000;
/** Lifetime of a token whose endpoint does not say it, in seconds. */
const DEFAULT_LIFETIME_S = 300;
const JWT_LIFETIME_S = 3600;

/** Creates what authenticates the requests to a provider. Tokens are kept in memory until shortly before they expire. */
export function authenticationOf(provider: Provider, parts: AuthenticationParts): Authentication {
  const given = provider.file.authentication;
  const fill = (text: string) => fillText(text, { settings: provider.settings });
  const fixed = (headers: Record<string, string>): Authentication => ({
    headersFor: async () => ({ ok: true, headers }),
    drop: () => false,
  });
  switch (given.type) {
    case 'none':
      return fixed({});
    case 'bearer':
      return fixed({ authorization: `Bearer ${fill(given.token)}` });
    case 'basic': {
      const pair = `${fill(given.username)}:${fill(given.password)}`;
      return fixed({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
    }
    case 'signed': {
      const secret = fill(given.secret);
      return {
        headersFor: async (id, body) => ({
          ok: true,
          headers: signedHeaders(id, parts.now(), body, [secret]),
        }),
        drop: () => false,
      };
    }
    case 'oauth-client-credentials':
      return withToken(parts, () => ({
        url: fill(given.tokenUrl),
        form: {
          grant_type: 'client_credentials',
          client_id: fill(given.clientId),
          client_secret: fill(given.clientSecret),
          ...(given.scope === undefined ? {} : { scope: fill(given.scope) }),
        },
      }));
    case 'google-service-account': {
      const account = provider.settings[given.account] as ServiceAccount;
      return withToken(parts, () => ({
        url: account.token_uri,
        form: {
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: assertionOf(account, given.scope, parts.now()),
        },
      }));
    }
  }
}

interface ServiceAccount {
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id?: string;
  readonly token_uri: string;
}

/** The signed claim of a service account (RFC 7523), which its token endpoint takes. */
function assertionOf(account: ServiceAccount, scope: string, now: number): string {
  const issuedAt = Math.floor(now / 1000);
  const header = {
    alg: 'RS256',
    typ: 'JWT',
    ...(account.private_key_id === undefined ? {} : { kid: account.private_key_id }),
  };
  const claims = {
    iss: account.client_email,
    scope,
    aud: account.token_uri,
    exp: issuedAt + JWT_LIFETIME_S,
    iat: issuedAt,
  };
  const content = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${sign('sha256', Buffer.from(content), account.private_key).toString('base64url')}`;
}

interface TokenRequest {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
}

type Fetched = { readonly token: string; readonly until: number } | { readonly failed: SendResult };

/** Fetches a token when one is needed; requests that wait for it share one. */
function withToken(parts: AuthenticationParts, requestOf: () => TokenRequest): Authentication {
  let current: { readonly token: string; readonly until: number } | undefined;
  let fetching: Promise<Fetched> | undefined;
  const fetchToken = async (): Promise<Fetched> => {
    const { url, form } = requestOf();
    const answer = await parts.outgoing.request(
      url,
      Buffer.from(new URLSearchParams(form).toString()),
      { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      { deadlineMs: parts.deadlineMs },
    );
    return tokenOf(answer, parts.now());
  };
  return {
    async headersFor(_id, _body, signal) {
      if (!current || current.until <= parts.now()) {
        fetching ??= fetchToken().finally(() => {
          fetching = undefined;
        });
        const fetched = await Promise.race([fetching, cancelled(signal)]);
        if ('failed' in fetched) return { ok: false, result: fetched.failed };
        current = fetched;
      }
      return { ok: true, headers: { authorization: `Bearer ${current.token}` } };
    },
    drop() {
      const had = current !== undefined;
      current = undefined;
      return had;
    },
  };
}

/** Resolves when a message is no longer waited for. No part of it was sent: its token is missing. */
function cancelled(signal: AbortSignal): Promise<Fetched> {
  return new Promise((resolve) => {
    const end = () => resolve({ failed: { outcome: 'retryable', error: 'sending was cancelled' } });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** Whatever a token endpoint answers, no message was sent: each failure is retried. */
function tokenOf(answer: ExchangeResult, now: number): Fetched {
  if (answer.status === null)
    return { failed: { outcome: 'retryable', error: `the token endpoint: ${answer.error}` } };
  if (answer.status !== 200)
    return {
      failed: {
        outcome: 'retryable',
        error: `the token endpoint answered ${answer.status}`,
        throttled: answer.status === 429,
        retryAfterMs: retryAfterOf(answer, now),
      },
    };
  let body: unknown;
  try {
    body = JSON.parse(answer.body.toString());
  } catch {
    body = undefined;
  }
  const token = textAt(body, 'access_token');
  // A header cannot hold any other text.
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token))
    return { failed: { outcome: 'retryable', error: 'the token endpoint answered without a token' } };
  const seconds = Number(textAt(body, 'expires_in') ?? DEFAULT_LIFETIME_S);
  const lifetimeMs = (Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_LIFETIME_S) * 1000;
  return { token, until: now + Math.max(lifetimeMs - EARLY_MS, lifetimeMs / 2) };
}
