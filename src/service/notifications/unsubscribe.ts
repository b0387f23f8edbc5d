import type { IncomingMessage } from 'node:http';
import type { HonoRequest } from 'hono';
import { ServiceError } from '../../contract/errors.ts';
import { WINDOW_MS } from '../../contract/limits.ts';
import { assertOpen, workspaceOf } from '../http/access/authenticate.ts';
import type { IsProxy } from '../http/access/client-address.ts';
import { type CountSender, rateLimited, senderLimit } from '../http/access/sender-limit.ts';
import { readBody } from '../http/body.ts';
import type { UnkeyedRoute } from '../http/endpoint.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import type { Platform } from '../platform/platform.ts';
import { scopeText } from '../users/consent.ts';
import { consents } from '../users/store/consents.ts';
import { users } from '../users/store/users.ts';
import { fanOuts } from '../webhooks/store/fan-outs.ts';
import { UNSUBSCRIBE_PATH, type UnsubscribeTarget, unsubscribeTarget } from './providers/unsubscribe.ts';

/** The template of the path. */
export const UNSUBSCRIBE_ROUTE = `${UNSUBSCRIBE_PATH}/{token}`;
const MAX_BODY_BYTES = 4096;
/** A link is far shorter. */
const MAX_TOKEN = 2048;

export interface UnsubscribeParts {
  readonly platform: Pick<Platform, 'store' | 'cipher' | 'machine'>;
  readonly limiter: Limiter;
  /** Per window and workspace. */
  readonly limit: number;
  /** The addresses whose X-Forwarded-For is believed. */
  readonly isProxy: IsProxy;
}

const HTML = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/**
 * The endpoint for List-Unsubscribe (RFC 8058), whose sealed link says what it is for: POST unsubscribes with one click.
 * GET shows a page with a button and changes nothing, because programs follow links that nobody clicked.
 */
export function unsubscribeRoute(parts: UnsubscribeParts): UnkeyedRoute {
  const countSender = senderLimit(parts.platform.machine, parts.isProxy);
  return {
    name: 'unsubscribe',
    path: UNSUBSCRIBE_ROUTE,
    methods: {
      GET: async (request, incoming) => {
        await admitted(request, incoming, parts, countSender);
        return new Response(page(ASK), { headers: HTML });
      },
      POST: async (request, incoming) => {
        const target = await admitted(request, incoming, parts, countSender);
        return unsubscribe(incoming, parts.platform, target);
      },
    },
  };
}

async function admitted(
  request: HonoRequest,
  incoming: IncomingMessage,
  { platform, limiter, limit }: UnsubscribeParts,
  countSender: CountSender,
): Promise<UnsubscribeTarget> {
  // A link proves nothing of who uses it: each use counts.
  countSender(incoming);
  const token = request.param('token') ?? '';
  const target = token.length > MAX_TOKEN ? undefined : unsubscribeTarget(platform.cipher, token);
  if (!target) throw new ServiceError('not_found', 'This is not a link of this service.');
  await workspaceOf(platform.store, target.workspaceId);
  const { verdict } = await limiter(target.workspaceId, 'unsubscribes', { limit, windowMs: WINDOW_MS });
  if (!verdict.admitted) throw rateLimited(verdict.retryAfter);
  return target;
}

async function unsubscribe(
  incoming: IncomingMessage,
  { store }: Pick<Platform, 'store'>,
  { workspaceId, hashId, category }: UnsubscribeTarget,
): Promise<Response> {
  const body = await readBody(incoming, MAX_BODY_BYTES);
  if ((await fieldOf(body, incoming.headers['content-type'])) !== 'One-Click')
    throw new ServiceError('invalid_request', undefined, [
      { field: 'List-Unsubscribe', message: 'must be One-Click' },
    ]);
  const said = { channel: 'email', category, state: 'out' as const };
  await store.write(async (tx) => {
    await assertOpen(tx, workspaceId);
    const before = await consents.ofUser(tx, workspaceId, hashId);
    await consents.add(tx, workspaceId, hashId, [said]);
    await users.markUsed(tx, workspaceId, hashId);
    const isKnown = before.some((each) => scopeText(each) === scopeText(said) && each.state === 'out');
    if (isKnown) return;
    await fanOuts.start(tx, workspaceId, {
      ...{ kind: 'notification.opted_out', decisionId: '', contentId: '', hashId, occurredAt: tx.now },
      details: { channel: 'email', ...(category !== null && { category }) },
      about: { channel: 'email', ...(category !== null && { category }) },
    });
  });
  return new Response(page(DONE), { headers: HTML });
}

/** The field of a form: multipart/form-data, as RFC 8058 recommends, or urlencoded. Undefined or null if there is none. */
async function fieldOf(body: Buffer, type = ''): Promise<unknown> {
  if (!/^multipart\/form-data\b/i.test(type))
    return new URLSearchParams(body.toString()).get('List-Unsubscribe');
  const form = new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return form.then(
    (fields) => fields.get('List-Unsubscribe'),
    () => undefined,
  );
}

const ASK = `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<p>No more e-mails like this one?</p><button>Unsubscribe</button></form>`;
const DONE = '<p>You are unsubscribed.</p>';

const page = (content: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Unsubscribe</title><body style="font-family:sans-serif;margin:3em auto;max-width:30em">${content}</body></html>
`;
