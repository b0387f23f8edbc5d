import type { BlockList } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { WINDOW_MS } from '../../contract/limits.ts';
import { fillText } from '../channels/provider-file/fill.ts';
import type { Provider } from '../channels/provider-file/load.ts';
import { applyFacts } from '../channels/receipts/apply.ts';
import { factsOf } from '../channels/receipts/events.ts';
import { type IncomingReceipt, isGenuine, isSame } from '../channels/receipts/verify.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import type { Limiter } from '../store/limiter/limiter.ts';
import { workspaces } from '../store/repositories/workspaces.ts';
import { readBody } from './body.ts';
import { errorResponse, toServiceError } from './error-response.ts';
import { parseJson } from './json-body.ts';
import type { RequestRecorder } from './record-requests.ts';
import { rateLimited, senderLimit } from './sender-limit.ts';

/** Where providers send receipts. It takes no API key: the provider's own signature is checked. */
export const RECEIPTS_PATH = '/v1/inform/receipts/:workspace/:provider';
/** The same, as endpoints write templates. */
const ROUTE = '/v1/inform/receipts/{workspace}/{provider}';
/** Maximum size of a receipt in bytes: Meta sends up to 3 MB. */
const MAX_RECEIPT_BYTES = 3 * 1024 * 1024;
const MAX_CHALLENGE = 1024;

export interface ReceiptParts {
  readonly deps: ServiceDeps;
  readonly limiter: Limiter;
  readonly recorder: RequestRecorder;
  /** Genuine receipts per window and workspace. */
  readonly limit: number;
  /** The addresses whose X-Forwarded-For is believed. */
  readonly proxies: BlockList;
  /** The providers that give receipts, by name. */
  readonly receivers: ReadonlyMap<string, readonly Provider[]>;
}

type Env = { Bindings: HttpBindings };

/** What is known of a request before it is read. */
interface Counted {
  /** The configured providers of the name; empty if there is none. */
  readonly providers: readonly Provider[];
  /** Called once the request has proved genuine. */
  readonly genuine: () => void;
}

/**
 * Adds the endpoint for receipts of providers: POST for receipts, GET for the challenge of a provider that sends one. What
 * is not genuine gets one answer and costs the same, whether its provider and workspace exist or not.
 */
export function addReceipts(app: Hono<Env>, parts: ReceiptParts): void {
  const countSender = senderLimit(parts.deps.clock, parts.proxies);
  const answered = async (c: Context<Env>, work: (counted: Counted) => Promise<Response>) => {
    const { method } = c.req;
    const traceparent = c.req.header('traceparent');
    const record = parts.recorder.begin({ endpoint: 'receipt', method, route: ROUTE, traceparent });
    const { requestId } = record;
    const headers = new Headers({ [HEADERS.requestId]: requestId });
    let response: Response;
    try {
      const genuine = countSender(c.env.incoming);
      response = await work({ providers: parts.receivers.get(c.req.param('provider') ?? '') ?? [], genuine });
    } catch (error) {
      const known = toServiceError(error, parts.deps.log, requestId);
      response = await errorResponse(known, c.env.incoming, requestId, headers);
    }
    record.end(response.status);
    return response;
  };
  app.post(RECEIPTS_PATH, (c) => answered(c, (counted) => take(c, parts, counted)));
  app.get(RECEIPTS_PATH, (c) => answered(c, (counted) => challenge(c, parts, counted)));
}

/** The workspace of the path, once the request has proved genuine; undefined if there is none. */
async function workspaceOf(c: Context<Env>, { deps }: ReceiptParts): Promise<string | undefined> {
  const id = c.req.param('workspace') ?? '';
  return (await deps.store.read((tx) => workspaces.get(tx, id)))?.id;
}

/** Checks, counts and applies a receipt. */
async function take(
  c: Context<Env>,
  parts: ReceiptParts,
  { providers, genuine: countBack }: Counted,
): Promise<Response> {
  const { deps, limiter, limit } = parts;
  const receipts = providers[0]?.file.receipts;
  const raw = await readBody(c.env.incoming, MAX_RECEIPT_BYTES);
  const form = receipts?.format === 'form' ? [...new URLSearchParams(raw.toString())] : [];
  // As it was sent: the signature of some providers covers it.
  const target = c.env.incoming.url ?? '/';
  const receipt: IncomingReceipt = {
    header: (name) => c.req.header(name),
    raw,
    target,
    form,
  };
  // Channels that share a provider may have different secrets.
  const genuine = providers.filter((provider) => isGenuine(provider, receipt));
  // The workspace is looked up for genuine ones only.
  const workspaceId = genuine.length === 0 ? undefined : await workspaceOf(c, parts);
  if (workspaceId === undefined)
    throw new ServiceError(
      'unauthorized',
      'The signature does not fit this receipt, or there is no such provider or workspace.',
    );
  countBack();
  const { verdict } = await limiter(workspaceId, 'receipts', { limit, windowMs: WINDOW_MS });
  if (!verdict.admitted) throw rateLimited(verdict.retryAfter);
  const body = receipts!.format === 'form' ? Object.fromEntries(form) : parseJson(raw).value;
  const query = Object.fromEntries(new URL(target, 'http://localhost').searchParams);
  const facts = factsOf(genuine[0]!, Array.isArray(body) ? body : { ...(body as object), query }, raw);
  if (!facts) throw new ServiceError('payload_too_large', 'The receipt has too many events.');
  const ignored =
    facts.length === 0 ? 0 : await deps.store.write((tx) => applyFacts(tx, workspaceId, genuine, facts));
  if (ignored > 0)
    deps.log('warn', 'receipts about addresses to which the workspace has sent nothing were ignored', {
      workspace: workspaceId,
      provider: genuine[0]!.file.name,
      receipts: ignored,
    });
  const answer = receipts!.answer;
  return answer
    ? new Response(answer.body, { status: 200, headers: { 'content-type': answer.type } })
    : new Response(null, { status: 200 });
}

/** Answers the GET with which Meta checks a new webhook. A GET changes nothing. */
async function challenge(
  c: Context<Env>,
  parts: ReceiptParts,
  { providers: [provider], genuine }: Counted,
): Promise<Response> {
  const given = provider?.file.receipts?.challenge;
  if (provider && !given)
    throw new ServiceError('method_not_allowed', undefined, undefined, { allow: 'POST' });
  const mode = c.req.query('hub.mode');
  const token = c.req.query('hub.verify_token') ?? '';
  const text = c.req.query('hub.challenge') ?? '';
  const right =
    given !== undefined &&
    mode === 'subscribe' &&
    text.length <= MAX_CHALLENGE &&
    isSame(token, fillText(given.token, { settings: provider!.settings })) &&
    (await workspaceOf(c, parts)) !== undefined;
  if (!right)
    throw new ServiceError(
      'forbidden',
      'The verify token is another one, or there is no such provider or workspace.',
    );
  genuine();
  return new Response(text, {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  });
}
