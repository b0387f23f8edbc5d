import { LOCAL, type LocalWebhook, type Profiles } from './profiles.ts';

/** The service and workspace that a subscription belongs to. */
export interface Owner {
  readonly isLocal: boolean;
  readonly baseUrl: string;
  readonly workspace: string;
}

/** Returns the key under which subscriptions of a connection are stored. The port of `local` differs per process. */
export function webhookKey({ isLocal, baseUrl, workspace }: Owner): string {
  return isLocal ? LOCAL : `${baseUrl.replace(/\/+$/, '')} ${workspace}`;
}

/** Returns the subscriptions that this machine created on a connection, by ID. */
export function storedWebhooks(profiles: Profiles, key: string): Readonly<Record<string, LocalWebhook>> {
  const { webhooks = {} } = profiles.read();
  return Object.hasOwn(webhooks, key) ? webhooks[key]! : {};
}

/** Stores or replaces a subscription and its secret. */
export function storeWebhook(
  profiles: Profiles,
  key: string,
  id: string,
  webhook: LocalWebhook,
): Promise<void> {
  return profiles.change((contents) => {
    contents.webhooks ??= {};
    contents.webhooks[key] = { ...contents.webhooks[key], [id]: webhook };
  });
}

/** Removes a subscription from the store. */
export function removeWebhook(profiles: Profiles, key: string, id: string): Promise<void> {
  return profiles.change((contents) => {
    delete contents.webhooks?.[key]?.[id];
  });
}
