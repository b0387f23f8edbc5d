import { HEADERS } from './headers.ts';
import { signBody, signStandardWebhook } from './signature.ts';

/**
 * Returns the headers of a signed request: a webhook delivery, or a call of a provider that checks it. `X-Service-Signature`, from the specification, signs only the body,
 * with the current secret, since it holds one value. The Standard Webhooks headers also sign ID and time, and hold one
 * signature per secret during a rotation.
 * `sentAt` is in Unix ms. `secrets` starts with the current one.
 */
export function signedHeaders(
  id: string,
  sentAt: number,
  body: Uint8Array,
  secrets: readonly [string, ...string[]],
): Record<string, string> {
  const seconds = Math.floor(sentAt / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1',
    [HEADERS.signature]: signBody(body, secrets[0]),
    [HEADERS.webhookId]: id,
    [HEADERS.webhookTimestamp]: String(seconds),
    [HEADERS.webhookSignature]: secrets
      .map((secret) => signStandardWebhook(id, seconds, body, secret))
      .join(' '),
  };
}
