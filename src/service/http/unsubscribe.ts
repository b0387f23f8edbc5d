import type { BlockList } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { WINDOW_MS } from '../../contract/limits.ts';
import { UNSUBSCRIBE_PATH, type UnsubscribeTarget, unsubscribeTarget } from '../channels/unsubscribe.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import type { Limiter } from '../store/limiter/limiter.ts';
import { consents } from '../store/repositories/marketing/consents.ts';
import { readBody } from './body.ts';
import { errorResponse, toServiceError } from './error-response.ts';
import type { RequestRecorder } from './record-requests.ts';
import { type CountSender, rateLimited, senderLimit } from './sender-limit.ts';

/** A route without an API key: the sealed link says what it is for. */
export const UNSUBSCRIBE_ROUTE = `${UNSUBSCRIBE_PATH}/:token`;
/** The same, as endpoints write templates. */
const ROUTE = `${UNSUBSCRIBE_PATH}/{token}`;
const MAX_BODY_BYTES = 4096;
/** A link is far shorter. */
const MAX_TOKEN = 2048;

export interface UnsubscribeParts {
  readonly deps: ServiceDeps;
  readonly limiter: Limiter;
  readonly recorder: RequestRecorder;
  /** Per window and workspace. */
  readonly limit: number;
  /** The addresses whose X-Forwarded-For is believed. */
  readonly proxies: BlockList;
}

type Env = { Bindings: HttpBindings };

const HTML = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/**
 * Adds the endpoint for List-Unsubscribe (RFC 8058): POST unsubscribes with one click. GET shows a page with a button and
 * changes nothing, because programs follow links that nobody clicked.
 */
export function addUnsubscribe(app: Hono<Env>, parts: UnsubscribeParts): void {
  const countSender = senderLimit(parts.deps.clock, parts.proxies);
  const answered = async (c: Context<Env>, work: (target: UnsubscribeTarget) => Promise<Response>) => {
    const { method } = c.req;
    const traceparent = c.req.header('traceparent');
    const record = parts.recorder.begin({ endpoint: 'unsubscribe', method, route: ROUTE, traceparent });
    const { requestId } = record;
    let response: Response;
    try {
      response = await work(await admitted(c, parts, countSender));
    } catch (error) {
      const known = toServiceError(error, parts.deps.log, requestId);
      const headers = new Headers({ [HEADERS.requestId]: requestId });
      response = await errorResponse(known, c.env.incoming, requestId, headers);
    }
    record.end(response.status);
    return response;
  };
  app.get(UNSUBSCRIBE_ROUTE, (c) => answered(c, async () => new Response(page(ASK), { headers: HTML })));
  app.post(UNSUBSCRIBE_ROUTE, (c) => answered(c, (target) => unsubscribe(c, parts.deps, target)));
}

async function admitted(
  c: Context<Env>,
  { deps, limiter, limit }: UnsubscribeParts,
  countSender: CountSender,
): Promise<UnsubscribeTarget> {
  // A link proves nothing of who uses it: each use counts.
  countSender(c.env.incoming);
  const token = c.req.param('token') ?? '';
  const target = token.length > MAX_TOKEN ? undefined : unsubscribeTarget(deps.cipher, token);
  if (!target) throw new ServiceError('not_found', 'This is not a link of this service.');
  const { verdict } = await limiter(target.workspaceId, 'unsubscribes', { limit, windowMs: WINDOW_MS });
  if (!verdict.admitted) throw rateLimited(verdict.retryAfter);
  return target;
}

async function unsubscribe(
  c: Context<Env>,
  { store }: ServiceDeps,
  { workspaceId, hashId, category }: UnsubscribeTarget,
): Promise<Response> {
  const body = await readBody(c.env.incoming, MAX_BODY_BYTES);
  if (new URLSearchParams(body.toString()).get('List-Unsubscribe') !== 'One-Click')
    throw new ServiceError('invalid_request', undefined, [
      { field: 'List-Unsubscribe', message: 'must be One-Click' },
    ]);
  await store.write((tx) =>
    consents.add(tx, workspaceId, hashId, [{ channel: 'email', category, state: 'out' }]),
  );
  return new Response(page(DONE), { headers: HTML });
}

const ASK = `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<p>No more e-mails like this one?</p><button>Unsubscribe</button></form>`;
const DONE = '<p>You are unsubscribed.</p>';

const page = (content: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Unsubscribe</title><body style="font-family:sans-serif;margin:3em auto;max-width:30em">${content}</body></html>
`;
