/**
 * Verifies webhook deliveries: `svc-cli/webhooks`. Uses only what Node.js, Deno, Bun and browsers have in common.
 */
import type { DeliveryBody } from '../../types/delivery.d.mts';
import type * as declared from '../../types/webhooks.d.mts';
import type { HeadersLike, VerifyOptions, WebhookErrorReason } from '../../types/webhooks.d.mts';

/** A delivery is not accepted. */
export class WebhookError extends Error implements declared.WebhookError {
  readonly reason: WebhookErrorReason;
  /** The status to answer with. */
  readonly status: number;

  constructor(reason: WebhookErrorReason, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.reason = reason;
    this.status = reason === 'not-json' ? 400 : 401;
  }
}

const DEFAULT_TOLERANCE = 300;
const utf8 = new TextEncoder();

async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  { tolerance = DEFAULT_TOLERANCE, replays, accept = 'any', now = Date.now }: VerifyOptions = {},
): Promise<DeliveryBody> {
  const body = bytesOf(rawBody);
  const keys = await Promise.all(secretsOf(secret).map(importKey));
  const standard = headerOf(headers, 'webhook-signature');
  if (standard !== undefined) {
    const id = headerOf(headers, 'webhook-id') ?? '';
    const timestamp = headerOf(headers, 'webhook-timestamp') ?? '';
    checkTimestamp(timestamp, tolerance, now());
    const signed = joined(utf8.encode(`${id}.${timestamp}.`), body);
    const signatures = standard.split(' ').flatMap((text) => standardSignature(text) ?? []);
    if (!(await matchesAny(keys, signatures, signed))) throw wrongSignature('webhook-signature');
    const expiresAt = (Number(timestamp) + tolerance) * 1000;
    if (replays && !(await replays.add(`${id}.${timestamp}`, expiresAt)))
      throw new WebhookError('replayed', 'this message was accepted before');
    return parsed(body);
  }
  const plain = accept === 'any' ? headerOf(headers, 'x-service-signature') : undefined;
  if (plain === undefined) {
    const expected = accept === 'any' ? 'webhook-signature or X-Service-Signature' : 'webhook-signature';
    throw new WebhookError('missing-signature', `the delivery has no ${expected} header`);
  }
  const signature = hexBytes(plain);
  if (!(await matchesAny(keys, signature ? [signature] : [], body)))
    throw wrongSignature('X-Service-Signature');
  return parsed(body);
}

export const verifyWebhook: typeof declared.verifyWebhook = verify;

export const memoryReplayWindow: typeof declared.memoryReplayWindow = ({
  most = 100_000,
  now = Date.now,
} = {}) => {
  const seen = new Map<string, number>();
  return {
    add(message, expiresAt) {
      const time = now();
      // Roughly in the order in which they expire.
      for (const [known, until] of seen) {
        if (until > time && seen.size < most) break;
        seen.delete(known);
      }
      if ((seen.get(message) ?? 0) > time) return false;
      seen.set(message, expiresAt);
      return true;
    },
  };
};

type Bytes = Uint8Array<ArrayBuffer>;
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function bytesOf(body: string | Uint8Array | ArrayBuffer): Bytes {
  if (typeof body === 'string') return utf8.encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body);
  throw new TypeError('verifyWebhook needs the raw body, as bytes or text; a parsed body cannot be verified');
}

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (
    !Array.isArray(secrets) ||
    secrets.length === 0 ||
    secrets.some((text) => typeof text !== 'string' || !text)
  )
    throw new TypeError('verifyWebhook needs the signing secret as text that is not empty');
  return secrets;
}

/** The key is the UTF-8 text of the secret, which is never decoded. */
function importKey(secret: string): Promise<Key> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['verify']);
}

/** Tries every key with every signature; `verify` compares in constant time. */
async function matchesAny(keys: readonly Key[], signatures: readonly Bytes[], data: Bytes): Promise<boolean> {
  for (const key of keys)
    for (const signature of signatures.slice(0, MAX_SIGNATURES))
      if (await crypto.subtle.verify('HMAC', key, signature, data)) return true;
  return false;
}

/** A header may hold more, to keep the receiver busy. */
const MAX_SIGNATURES = 8;

function headerOf(headers: HeadersLike, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const given = headers as { readonly [name: string]: string | readonly string[] | undefined };
  const key = Object.keys(given).find((each) => each.toLowerCase() === name);
  const value = key === undefined ? undefined : given[key];
  return typeof value === 'string' ? value : value?.[0];
}

function checkTimestamp(text: string, tolerance: number, now: number): void {
  if (!/^\d{1,12}$/.test(text))
    throw new WebhookError('wrong-timestamp', 'webhook-timestamp is missing or not a Unix second');
  const age = now / 1000 - Number(text);
  if (age > tolerance)
    throw new WebhookError(
      'too-old',
      `the delivery was signed ${Math.round(age)} s ago; is the clock right?`,
    );
  if (-age > tolerance)
    throw new WebhookError(
      'too-new',
      `the delivery was signed ${Math.round(-age)} s from now; is the clock right?`,
    );
}

/** The last character carries four bits of 32 bytes: only one spelling of a signature is accepted (RFC 4648, 3.5). */
function standardSignature(text: string): Bytes | undefined {
  const [, base64] = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/.exec(text) ?? [];
  return base64 === undefined ? undefined : Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function hexBytes(text: string): Bytes | undefined {
  if (!/^[0-9a-f]{64}$/.test(text)) return undefined;
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

function joined(first: Bytes, second: Bytes): Bytes {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function wrongSignature(header: string): WebhookError {
  return new WebhookError(
    'wrong-signature',
    `${header} does not match: check that the body is raw and the secret is that of this subscription; svc webhooks listen explains a mismatch`,
  );
}

function parsed(body: Bytes): DeliveryBody {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as DeliveryBody;
  } catch {
    throw new WebhookError('not-json', 'the body is authentic but not JSON');
  }
}
