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
  /** Per window and workspace. */
  readonly limit: number;
  /** The providers that give receipts, by name. */
  readonly receivers: ReadonlyMap<string, readonly Provider[]>;
}

type Env = { Bindings: HttpBindings };

/** Adds the endpoint for receipts of providers: POST for receipts, GET for the challenge of a provider that sends one. */
export function addReceipts(app: Hono<Env>, parts: ReceiptParts): void {
  const answered = async (c: Context<Env>, work: (providers: readonly Provider[]) => Promise<Response>) => {
    const { method } = c.req;
    const traceparent = c.req.header('traceparent');
    const record = parts.recorder.begin({ endpoint: 'receipt', method, route: ROUTE, traceparent });
    const { requestId } = record;
    const headers = new Headers({ [HEADERS.requestId]: requestId });
    let response: Response;
    try {
      response = await work(await admitted(c, parts));
    } catch (error) {
      const known = toServiceError(error, parts.deps.log, requestId);
      response = await errorResponse(known, c.env.incoming, requestId, headers);
    }
    record.end(response.status);
    return response;
  };
  app.post(RECEIPTS_PATH, (c) => answered(c, (providers) => take(c, parts, providers)));
  app.get(RECEIPTS_PATH, (c) => answered(c, async ([provider]) => challenge(c, provider!)));
}

/** Finds the provider and counts the request, before anything of it is read. */
async function admitted(
  c: Context<Env>,
  { deps, limiter, limit, receivers }: ReceiptParts,
): Promise<readonly Provider[]> {
  const providers = receivers.get(c.req.param('provider') ?? '');
  if (!providers) throw new ServiceError('not_found', 'No provider of this name sends receipts.');
  const id = c.req.param('workspace') ?? '';
  const workspace = await deps.store.read((tx) => workspaces.get(tx, id));
  if (!workspace) throw new ServiceError('not_found', 'No workspace has this identifier.');
  const { verdict } = await limiter(id, 'receipts', { limit, windowMs: WINDOW_MS });
  if (!verdict.admitted)
    throw new ServiceError('rate_limited', undefined, undefined, {
      [HEADERS.retryAfter]: String(verdict.retryAfter),
    });
  return providers;
}

/** Checks and applies a receipt. */
async function take(
  c: Context<Env>,
  { deps }: ReceiptParts,
  providers: readonly Provider[],
): Promise<Response> {
  const { receipts } = providers[0]!.file;
  const raw = await readBody(c.env.incoming, MAX_RECEIPT_BYTES);
  const form = receipts!.format === 'form' ? [...new URLSearchParams(raw.toString())] : [];
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
  if (genuine.length === 0)
    throw new ServiceError('unauthorized', 'The signature does not fit this receipt.');
  const body = receipts!.format === 'form' ? Object.fromEntries(form) : parseJson(raw).value;
  const query = Object.fromEntries(new URL(target, 'http://localhost').searchParams);
  const facts = factsOf(genuine[0]!, Array.isArray(body) ? body : { ...(body as object), query }, raw);
  if (!facts) throw new ServiceError('payload_too_large', 'The receipt has too many events.');
  if (facts.length > 0)
    await deps.store.write((tx) => applyFacts(tx, c.req.param('workspace')!, genuine, facts));
  const answer = receipts!.answer;
  return answer
    ? new Response(answer.body, { status: 200, headers: { 'content-type': answer.type } })
    : new Response(null, { status: 200 });
}

/** Answers the GET with which Meta checks a new webhook. A GET changes nothing. */
function challenge(c: Context<Env>, { file, settings }: Provider): Response {
  const given = file.receipts?.challenge;
  if (!given) throw new ServiceError('method_not_allowed', undefined, undefined, { allow: 'POST' });
  const mode = c.req.query('hub.mode');
  const token = c.req.query('hub.verify_token') ?? '';
  const text = c.req.query('hub.challenge') ?? '';
  if (
    mode !== 'subscribe' ||
    text.length > MAX_CHALLENGE ||
    !isSame(token, fillText(given.token, { settings }))
  )
    throw new ServiceError('forbidden', 'The verify token is another one.');
  return new Response(text, {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  });
}
