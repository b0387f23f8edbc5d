import { LOCAL, type LocalWebhook, type Profiles } from './profiles.ts';

/** What a subscription belongs to: a service and a workspace. */
export interface Owner {
  readonly isLocal: boolean;
  readonly baseUrl: string;
  readonly workspace: string;
}

/** The name under which subscriptions of a connection are kept. `local` has another port in every process. */
export function webhookKey({ isLocal, baseUrl, workspace }: Owner): string {
  return isLocal ? LOCAL : `${baseUrl.replace(/\/+$/, '')} ${workspace}`;
}

/** The subscriptions that this machine created at a connection, by id. */
export function storedWebhooks(profiles: Profiles, key: string): Readonly<Record<string, LocalWebhook>> {
  const { webhooks = {} } = profiles.read();
  return Object.hasOwn(webhooks, key) ? webhooks[key]! : {};
}

/** Keeps a subscription and its secret, or replaces what is kept of it. */
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

/** Forgets a subscription that was removed. */
export function removeWebhook(profiles: Profiles, key: string, id: string): Promise<void> {
  return profiles.change((contents) => {
    delete contents.webhooks?.[key]?.[id];
  });
}
