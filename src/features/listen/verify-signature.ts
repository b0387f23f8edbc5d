/**
 * Verifies the signature of a delivery (specification: Webhook deliveries). Does not parse the body.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS } from '../../contract/headers.ts';
import { verifyBody } from '../../contract/signature.ts';

/** A secret and a description of its source, such as "profile staging" or "SVC_WEBHOOK_SECRET". */
export interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

export type RejectReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'invalid_host'
  | 'method_not_allowed'
  | 'payload_too_large';

export type Verdict = { verified: true; by: NamedSecret } | { verified: false; reason: RejectReason };

/** Returns a header as one string; several lines are joined by a comma (RFC 9110, 5.3). */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Verifies `X-Service-Signature` over the raw bytes, in constant time.
 * @param secrets tried in order; a subscription has two while its secret is rotated
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
