import type { ExchangeResult } from '../../platform/egress/exchange.ts';
import { type Tracing, traceHeaders } from '../../platform/tracing/tracing.ts';
import { phoneDigits } from '../../users/address-hash.ts';
import { authenticationOf } from './authentication.ts';
import type { ChannelAdapter, ChannelMessage, SendResult } from './channel.ts';
import { fillJson, fillText, MissingValue } from './file/fill.ts';
import type { Provider } from './file/load.ts';
import type { ProviderFile } from './file/schema.ts';
import { textAt } from './file/values.ts';
import type { Outgoing } from './outgoing.ts';
import { retryAfterOf } from './retry-after.ts';

export interface ProviderParts {
  readonly outgoing: Outgoing;
  readonly tracing: Tracing;
  /** For each request, connection and answer included. */
  readonly deadlineMs: number;
  /** Unix ms. */
  readonly now: () => number;
}

/** The part of an answer that decides what became of the message. */
type Answer = Exclude<ExchangeResult, { status: null }>;

/**
 * Sends the messages of a channel as its provider file says (docs/providers). Nothing written and a 429: retried. A
 * 5xx or no complete answer: the outcome is unknown, as for any client (docs/design-choices.md), unless the file knows the error.
 */
export function providerChannel(provider: Provider, parts: ProviderParts): ChannelAdapter {
  const { file, settings, givesReceipts } = provider;
  const authentication = authenticationOf(provider, parts);
  const { idempotency } = file;
  const deduplicates =
    idempotency !== undefined && (idempotency.setting === undefined || settings[idempotency.setting] === '1');

  const attempt = async (message: ChannelMessage, request: BuiltRequest, signal: AbortSignal) => {
    const credentials = await authentication.headersFor(message.notificationId, request.body, signal);
    if (!credentials.ok) return credentials.result;
    const method = file.request.method ?? 'POST';
    const span = parts.tracing.start({
      kind: 'client',
      name: `${method} ${file.name}`,
      parent: message.trace,
      attributes: { 'http.request.method': method, 'svc.notification_id': message.notificationId },
    });
    const headers = {
      'content-type': request.type,
      ...traceHeaders(span),
      ...credentials.headers,
      ...request.headers,
      ...(idempotency ? { [idempotency.header]: message.idempotencyKey } : {}),
    };
    const got = await parts.outgoing.request(request.url, request.body, headers, {
      method,
      deadlineMs: parts.deadlineMs,
      signal,
    });
    span.end(got.status);
    return got;
  };

  return {
    name: `provider ${file.name}`,
    deduplicates,
    receiptsFrom: givesReceipts ? file.name : undefined,
    async send(message, signal): Promise<SendResult> {
      try {
        const request = requestFor(provider, message);
        let got = await attempt(message, request, signal);
        // The token may have been revoked before its end; a request that was not authenticated was not accepted.
        if ('status' in got && got.status === 401 && authentication.drop())
          got = await attempt(message, request, signal);
        const result = 'outcome' in got ? got : resultOf(file, got, parts.now());
        return masked(result, [...provider.secrets, message.address]);
      } catch (error) {
        if (error instanceof MissingValue || error instanceof UnfitForHeader)
          return { outcome: 'rejected', error: error.message };
        throw error;
      }
    },
    close: () => parts.outgoing.close(),
  };
}

interface BuiltRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string;
  readonly body: Buffer;
}

/** A header cannot hold its value (RFC 9110, 5.5): a line break, or a character beyond Latin-1. */
class UnfitForHeader extends Error {
  constructor(name: string) {
    super(`the value of the header ${name} has characters that no header can hold`);
    this.name = 'UnfitForHeader';
  }
}

/** Fills the request of a provider file for a message. Throws MissingValue and UnfitForHeader. */
export function requestFor(provider: Provider, message: ChannelMessage): BuiltRequest {
  const { url, headers = {}, json, form } = provider.file.request;
  const values = valuesOf(provider, message);
  const fields = Object.entries(form ?? {}).flatMap(([name, text]): [string, string][] => {
    const value = fillText(text, values);
    return value === '' ? [] : [[name, value]];
  });
  return {
    // Only the setting at the beginning, which names the host, is inserted as it is.
    url: fillText(url, values, (text, at) =>
      at === 0 ? text.replace(/\/+$/, '') : encodeURIComponent(text),
    ),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => {
        const value = fillText(text, values);
        if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new UnfitForHeader(name);
        return [name, value];
      }),
    ),
    type: form ? 'application/x-www-form-urlencoded' : 'application/json',
    body: Buffer.from(form ? new URLSearchParams(fields).toString() : JSON.stringify(fillJson(json, values))),
  };
}

function valuesOf(provider: Provider, message: ChannelMessage): Record<string, unknown> {
  const { notificationId, templateId, hashId, channel, priority, subject, text, html, push, whatsapp } =
    message;
  const byPhone = channel === 'sms' || channel === 'whatsapp';
  return {
    ...{ notificationId, templateId, hashId, channel, priority, subject, text, html, push, whatsapp },
    unsubscribeUrl: message.unsubscribeUrl,
    settings: provider.settings,
    to: message.address,
    addresses: message.to,
    phone: byPhone ? internationalPhone(message.address) : undefined,
    phoneDigits: byPhone ? phoneDigits(message.address) : undefined,
    receiptsUrl: receiptsUrl(provider, message),
  };
}

/** E.164, as far as it can be known: a number without + or 00 stays as it is. */
function internationalPhone(phone: string): string {
  return /^\s*(\+|00)/.test(phone) ? `+${phoneDigits(phone)}` : phone.trim();
}

function receiptsUrl(provider: Provider, message: ChannelMessage): string | undefined {
  if (!provider.givesReceipts || provider.publicUrl === undefined) return undefined;
  const { workspaceId, notificationId } = message;
  const path = ['v1', 'inform', 'receipts', workspaceId, provider.file.name]
    .map(encodeURIComponent)
    .join('/');
  return `${provider.publicUrl}/${path}?notificationId=${encodeURIComponent(notificationId)}`;
}

/** What an answer, or the lack of one, says about the message. */
function resultOf(file: ProviderFile, got: ExchangeResult, now: number): SendResult {
  if (got.status === null) return { outcome: got.written ? 'ambiguous' : 'retryable', error: got.error };
  const body = bodyOf(got);
  if (got.status >= 200 && got.status < 300)
    return { outcome: 'accepted', messageId: messageIdOf(file, got, body) };
  const code = (file.answer?.errorCode ?? [])
    .map((path) => textAt(body, path))
    .find((text) => text !== undefined);
  const rule = (file.errors ?? []).find(
    ({ status, codes }) =>
      (status === undefined || status.includes(got.status)) &&
      (codes === undefined || (code !== undefined && codes.includes(code))),
  );
  const named = code === undefined || !PLAIN_CODE.test(code) ? '' : ` (${code})`;
  const error = `the provider answered ${got.status}${named}${rule ? `: ${rule.reason}` : ''}`;
  const retryAfterMs = retryAfterOf(got, now);
  const outcome = rule?.outcome ?? (got.status === 429 ? 'retry' : got.status >= 500 ? 'uncertain' : 'final');
  switch (outcome) {
    case 'retry':
      return { outcome: 'retryable', error, retryAfterMs, throttled: got.status === 429 };
    case 'account':
      return { outcome: 'retryable', error, retryAfterMs };
    case 'uncertain':
      return { outcome: 'ambiguous', error };
    case 'dead':
      return { outcome: 'rejected', error, address: { is: 'dead' } };
    case 'opted-out':
      return { outcome: 'rejected', error, address: { is: 'stopped', category: rule?.category } };
    case 'final':
      return { outcome: 'rejected', error };
  }
}

/** A code, and not a text that may quote an address. */
const PLAIN_CODE = /^[A-Za-z0-9_.-]{1,40}$/;
const HEADER = 'header.';
const MAX_MESSAGE_ID = 256;

function messageIdOf(file: ProviderFile, got: Answer, body: unknown): string | undefined {
  const path = file.answer?.messageId;
  if (path === undefined) return undefined;
  const header = path.startsWith(HEADER) ? got.headers[path.slice(HEADER.length).toLowerCase()] : undefined;
  const id = path.startsWith(HEADER) ? (Array.isArray(header) ? header[0] : header) : textAt(body, path);
  return id !== undefined && id.length <= MAX_MESSAGE_ID && !id.includes('\0') ? id : undefined;
}

function bodyOf({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Replaces secrets and the address in an error, which may come from the other side. */
function masked(result: SendResult, secrets: readonly string[]): SendResult {
  if (!('error' in result)) return result;
  const error = secrets
    .filter((secret) => secret.length > 0)
    .reduce((text, secret) => text.replaceAll(secret, '•••'), result.error);
  return { ...result, error };
}
