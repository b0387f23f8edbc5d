import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends one authenticated request to the service and resolves with the body of its answer. Throws for an error. */
export type Send = <T>(path: string, body?: unknown, method?: string) => Promise<T>;

/** What must never reach the page: personal fields, variables and secrets of the sample data. */
export const CANARIES = [
  'Canary Featherstone',
  '+447700900777',
  'canary.featherstone@example.org',
  'ACC-CANARY-0042',
  'canary-order-8841',
  'canary-signing-secret-7f31',
  'canary-trait-value',
] as const;
const [NAME, PHONE, EMAIL, ACCOUNT, ORDER, SECRET, TRAIT] = CANARIES;

export interface SampleData {
  readonly hashIds: readonly string[];
  /** The user with the canaries, and of whom everything is known. */
  readonly hashId: string;
  readonly webhookId: string;
  readonly decisionIds: readonly string[];
  readonly notificationId: string;
}

const EVENTS = ['app_opened', 'card_viewed', 'payment_made', 'transfer_completed', 'search'];
const SURFACES = ['home', 'account', 'offers'];
const LOCALES = ['en-GB', 'fr-FR', 'de-DE'];

/**
 * Fills a workspace by its own API: users with personal data, events, decisions with messages and outcomes, notifications,
 * and a subscription at `receiver`.
 */
export async function fillWorkspace(
  send: Send,
  receiver: string,
  { users = 12, now = Date.now() } = {},
): Promise<SampleData> {
  const people = Array.from({ length: users }, (_, i) =>
    i === 0
      ? {
          userId: 'u_1',
          name: NAME,
          phone: PHONE,
          emails: [EMAIL],
          accountNumber: ACCOUNT,
          traits: { secretTrait: TRAIT },
        }
      : {
          userId: `u_${i + 1}`,
          locale: LOCALES[i % 3],
          timeZone: 'Europe/Paris',
          ...(i % 2 === 0 ? { devices: [{ channel: 'push', token: `token-of-${i}` }] } : {}),
          ...(i % 3 === 0 ? { optOut: ['sms', 'email/news', '*/offers'] } : {}),
        },
  );
  const stored = await send<{ users: { hashId: string }[] }>('/v1/users', { users: people });
  const hashIds = stored.users.map(({ hashId }) => hashId);
  const { id: webhookId } = await send<{ id: string }>('/v1/webhooks', {
    url: receiver,
    events: ['campaign.opened', 'campaign.clicked', 'decision.actioned'],
    signingSecret: SECRET,
  });
  await send('/v1/events', {
    events: Array.from({ length: users * 4 }, (_, i) => ({
      userId: `u_${(i % users) + 1}`,
      event: EVENTS[i % EVENTS.length],
      timestamp: new Date(now - (users * 4 - i) * 1000).toISOString(),
      properties: { amount: 10 + ((i * 37) % 400), source: ['web', 'ios', 'android'][i % 3], email: EMAIL },
    })),
  });
  const decisionIds: string[] = [];
  for (const [i, hashId] of hashIds.entries())
    for (let turn = 0; turn < 3; turn++) {
      const context = { channel: 'in-app', surface: SURFACES[(i + turn) % 3], locale: LOCALES[i % 3] };
      const { decisionId } = await send<{ decisionId: string }>('/v1/decisioning/decide', {
        hashId,
        context,
      });
      decisionIds.push(decisionId);
    }
  for (const hashId of hashIds) {
    const { messages } = await send<{ messages: { decisionId: string }[] }>(`/v1/messages?hashId=${hashId}`);
    // The first user's messages stay, so that they can be looked at.
    if (hashId === hashIds[0]) continue;
    for (const [i, { decisionId }] of messages.entries()) {
      await send(`/v1/messages/${decisionId}/outcomes`, { type: 'opened' });
      if (i % 2 === 0) await send(`/v1/messages/${decisionId}/outcomes`, { type: 'actioned' });
    }
  }
  const { notificationId } = await send<{ notificationId: string }>('/v1/inform/trigger', {
    hashId: hashIds[0],
    templateId: 'order_update',
    channel: 'sms',
    variables: { orderId: ORDER },
  });
  for (const hashId of hashIds.slice(1, 6))
    await send('/v1/inform/trigger', { hashId, templateId: 'welcome', channel: 'email' });
  return { hashIds, hashId: hashIds[0]!, webhookId, decisionIds, notificationId };
}

/** Receives deliveries, and answers 500 as long as `failing` says so. */
export async function startReceiver(failing: () => boolean) {
  const server = createServer((request, answer) => {
    request.resume().on('end', () => {
      answer.writeHead(failing() ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
