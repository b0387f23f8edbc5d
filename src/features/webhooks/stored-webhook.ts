import type { LocalWebhook } from '../../profiles/profiles.ts';

/** What this machine remembers of a subscription, in the shape of an answer, without the secret. */
export function describeStoredWebhook(id: string, kept: LocalWebhook): Record<string, unknown> {
  return { id, url: kept.url, events: kept.events, createdAt: kept.createdAt };
}
