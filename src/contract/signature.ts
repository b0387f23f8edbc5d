import { createHmac, timingSafeEqual } from 'node:crypto';

/** A signing secret; text is encoded as UTF-8. */
export type SigningKey = string | Uint8Array;

/**
 * Computes `X-Service-Signature`: the lowercase hex HMAC-SHA-256 of the raw body (specification: Webhook deliveries).
 * The key is the UTF-8 encoding of the secret, which is not decoded from hex or base64 (docs/design-choices.md).
 */
export function signBody(body: Uint8Array, secret: SigningKey): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Verifies a signature in constant time. False for anything other than 64 lowercase hex characters. */
export function verifyBody(body: Uint8Array, secret: SigningKey, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  return timingSafeEqual(Buffer.from(signBody(body, secret), 'latin1'), Buffer.from(signature, 'latin1'));
}

/**
 * Computes one `v1,…` value of the `webhook-signature` header of Standard Webhooks: the base64 HMAC-SHA-256 of
 * `id.timestamp.body`. `timestamp` is in Unix seconds. During a rotation, several values are joined by a space.
 */
export function signStandardWebhook(
  id: string,
  timestamp: number,
  body: Uint8Array,
  secret: SigningKey,
): string {
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return `v1,${mac}`;
}
