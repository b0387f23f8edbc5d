import { createHmac, timingSafeEqual } from 'node:crypto';

/** A secret as text stands for its UTF-8 bytes; bytes stand for themselves. */
export type SigningKey = string | Uint8Array;

/**
 * The value of `X-Service-Signature`: lowercase hex HMAC-SHA-256 of the raw body (specification: Webhook deliveries).
 * The key is the UTF-8 bytes of the secret as it was given, never decoded (docs/decisions.md).
 */
export function signBody(body: Uint8Array, secret: SigningKey): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Compares in constant time. False for anything that is not 64 lowercase hex characters. */
export function verifyBody(body: Uint8Array, secret: SigningKey, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  return timingSafeEqual(Buffer.from(signBody(body, secret), 'latin1'), Buffer.from(signature, 'latin1'));
}

/**
 * One `v1,…` value of the `webhook-signature` header of Standard Webhooks: base64 HMAC-SHA-256 of
 * `id.timestamp.body`. `timestamp` is in Unix seconds. Several values are joined by a space while a secret rotates.
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
