import type { LocalWebhook } from '../../profiles/profiles.ts';

/** Returns a subscription stored on this machine in the form of an answer, without the secret. */
export function describeStoredWebhook(id: string, webhook: LocalWebhook): Record<string, unknown> {
  return { id, url: webhook.url, events: webhook.events, createdAt: webhook.createdAt };
}
