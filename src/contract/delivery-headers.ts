import { HEADERS } from './headers.ts';
import { signBody, signStandardWebhook } from './signature.ts';

/**
 * The headers of one signed delivery. `X-Service-Signature` is the specification's, over the body alone, by the
 * subscription's present secret (it has room for one value); the Standard Webhooks headers bind id and time as well
 * and hold a signature by each secret while one replaces the other.
 * `sentAt` is unix ms. `secrets` starts with the present one.
 */
export function deliveryHeaders(
  deliveryId: string,
  sentAt: number,
  body: Uint8Array,
  secrets: readonly [string, ...string[]],
): Record<string, string> {
  const seconds = Math.floor(sentAt / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1',
    [HEADERS.signature]: signBody(body, secrets[0]),
    [HEADERS.webhookId]: deliveryId,
    [HEADERS.webhookTimestamp]: String(seconds),
    [HEADERS.webhookSignature]: secrets
      .map((secret) => signStandardWebhook(deliveryId, seconds, body, secret))
      .join(' '),
  };
}
