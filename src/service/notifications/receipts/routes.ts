import type { IncomingMessage } from 'node:http';
import type { HonoRequest } from 'hono';
import { ServiceError } from '../../../contract/errors.ts';
import { WINDOW_MS } from '../../../contract/limits.ts';
import { assertOpen, workspaceOf } from '../../http/access/authenticate.ts';
import type { IsProxy } from '../../http/access/client-address.ts';
import { rateLimited, senderLimit } from '../../http/access/sender-limit.ts';
import { readBody } from '../../http/body.ts';
import type { UnkeyedRoute } from '../../http/endpoint.ts';
import { parseJson } from '../../http/json-body.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';
import type { Platform } from '../../platform/platform.ts';
import { fillText } from '../providers/file/fill.ts';
import type { Provider } from '../providers/file/load.ts';
import { applyFacts } from './apply.ts';
import { factsOf } from './events.ts';
import { type IncomingReceipt, isGenuine, isSame } from './verify.ts';

/** Where providers send receipts. It takes no API key: the provider's own signature is checked. */
export const RECEIPTS_PATH = '/v1/inform/receipts/{workspace}/{provider}';
/** Maximum size of a receipt in bytes: Meta sends up to 3 MB. */
const MAX_RECEIPT_BYTES = 3 * 1024 * 1024;
const MAX_CHALLENGE = 1024;

export interface ReceiptParts {
  readonly platform: Pick<Platform, 'store' | 'machine' | 'log' | 'cipher'>;
  readonly limiter: Limiter;
  /** Genuine receipts per window and workspace. */
  readonly limit: number;
  /** The addresses whose X-Forwarded-For is believed. */
  readonly isProxy: IsProxy;
  /** The providers that give receipts, by name. */
  readonly receivers: ReadonlyMap<string, readonly Provider[]>;
}

/** What is known of a request before it is read. */
interface Counted {
  /** The configured providers of the name; empty if there is none. */
  readonly providers: readonly Provider[];
  /** Called once the request has proved genuine. */
  readonly genuine: () => void;
}

/**
 * The endpoint for receipts of providers: POST for receipts, GET for the challenge of a provider that sends one. What is
 * not genuine gets one answer and costs the same, whether its provider and workspace exist or not.
 */
export function receiptRoute(parts: ReceiptParts): UnkeyedRoute {
  const countSender = senderLimit(parts.platform.machine, parts.isProxy);
  const counted = (request: HonoRequest, incoming: IncomingMessage): Counted => {
    const genuine = countSender(incoming);
    return { providers: parts.receivers.get(request.param('provider') ?? '') ?? [], genuine };
  };
  return {
    name: 'receipt',
    path: RECEIPTS_PATH,
    methods: {
      POST: async (request, incoming) => take(request, incoming, parts, counted(request, incoming)),
      GET: async (request, incoming) => challenge(request, parts, counted(request, incoming)),
    },
  };
}

/** The workspace of the path, once the request has proved genuine; undefined if there is none. */
async function workspaceIn(request: HonoRequest, { platform }: ReceiptParts): Promise<string | undefined> {
  return (await workspaceOf(platform.store, request.param('workspace') ?? ''))?.id;
}

/** Checks, counts and applies a receipt. */
async function take(
  request: HonoRequest,
  incoming: IncomingMessage,
  parts: ReceiptParts,
  { providers, genuine: countBack }: Counted,
): Promise<Response> {
  const { platform, limiter, limit } = parts;
  const receipts = providers[0]?.file.receipts;
  const raw = await readBody(incoming, MAX_RECEIPT_BYTES);
  const form = receipts?.format === 'form' ? [...new URLSearchParams(raw.toString())] : [];
  // As it was sent: the signature of some providers covers it.
  const target = incoming.url ?? '/';
  const receipt: IncomingReceipt = {
    header: (name) => request.header(name),
    raw,
    target,
    form,
  };
  // Channels that share a provider may have different secrets.
  const genuine = providers.filter((provider) => isGenuine(provider, receipt));
  // The workspace is looked up for genuine ones only.
  const workspaceId = genuine.length === 0 ? undefined : await workspaceIn(request, parts);
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
  const { store, cipher } = platform;
  const ignored =
    facts.length === 0
      ? 0
      : await store.write(async (tx) => {
          await assertOpen(tx, workspaceId);
          return applyFacts(tx, cipher, workspaceId, genuine, facts);
        });
  if (ignored > 0)
    platform.log('warn', 'receipts about addresses to which the workspace has sent nothing were ignored', {
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
  request: HonoRequest,
  parts: ReceiptParts,
  { providers: [provider], genuine }: Counted,
): Promise<Response> {
  const given = provider?.file.receipts?.challenge;
  if (provider && !given)
    throw new ServiceError('method_not_allowed', undefined, undefined, { allow: 'POST' });
  const mode = request.query('hub.mode');
  const token = request.query('hub.verify_token') ?? '';
  const text = request.query('hub.challenge') ?? '';
  const right =
    given !== undefined &&
    mode === 'subscribe' &&
    text.length <= MAX_CHALLENGE &&
    isSame(token, fillText(given.token, { settings: provider!.settings })) &&
    (await workspaceIn(request, parts)) !== undefined;
  if (!right)
    throw new ServiceError(
      'forbidden',
      'The verify token does not match, or there is no such provider or workspace.',
    );
  genuine();
  return new Response(text, {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  });
}
