/**
 * The receiver's half of the signature rule (specification: Webhook deliveries): is this raw body signed with one of
 * these secrets? Nothing here parses the body.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS } from '../../contract/headers.ts';
import { verifyBody } from '../../contract/signature.ts';

/** A secret and where it came from, as shown to people ("profile staging", "SVC_WEBHOOK_SECRET"). */
export interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

export type RejectReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'method_not_allowed'
  | 'payload_too_large';

export type Verdict = { verified: true; by: NamedSecret } | { verified: false; reason: RejectReason };

/** A header's value as one string; several lines of it are joined by a comma, as HTTP allows (RFC 9110, 5.3). */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Judges a delivery by `X-Service-Signature` over its raw bytes, in constant time.
 * @param secrets tried in turn: a subscription has two while its secret rotates
 */
export function verifySignature(
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  secrets: readonly NamedSecret[],
): Verdict {
  const signature = headerOf(headers, HEADERS.signature);
  if (signature === undefined || signature === '') return { verified: false, reason: 'missing_signature' };
  if (!/^[0-9a-f]{64}$/.test(signature)) return { verified: false, reason: 'malformed_signature' };
  const by = secrets.find(({ secret }) => verifyBody(body, secret, signature));
  return by ? { verified: true, by } : { verified: false, reason: 'signature_mismatch' };
}
