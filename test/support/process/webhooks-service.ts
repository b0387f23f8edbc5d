import { expect, onTestFinished } from 'vitest';
import { type Answer, type Receiver, startReceiver } from '../peers/receiver.ts';
import { startTestService, type TestService } from './service.ts';

export const secret = 'a signing secret of a test';
export const kinds = ['campaign.clicked', 'campaign.opened', 'decision.actioned'];

export async function receiver(answer?: Answer): Promise<Receiver> {
  const started = await startReceiver(answer);
  onTestFinished(() => started.close());
  return started;
}

export const start = () => startTestService({ allowLoopbackWebhooks: true });

export async function json(response: Promise<Response>, status: number) {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return text === '' ? undefined : JSON.parse(text);
}

export const subscribe = (service: TestService, url: string, more: Record<string, unknown> = {}) =>
  json(service.fetch('/v1/webhooks', { body: { url, events: kinds, signingSecret: secret, ...more } }), 201);

export async function knownUser(service: TestService, user: Record<string, unknown> = {}): Promise<string> {
  const devices = [{ channel: 'push', token: `phone of ${user.userId ?? 'u1'}` }];
  const body = {
    users: [{ userId: 'u1', name: 'Ada Lovelace', phone: '+441234567890', devices, ...user }],
  };
  return (await json(service.fetch('/v1/users', { body }), 200)).users[0].hashId;
}

/** Makes a decision and reports a tap on its message, which creates a delivery. */
export async function tap(service: TestService, hashId: string, type = 'clicked'): Promise<string> {
  const { decisionId } = await json(service.fetch('/v1/decisioning/decide', { body: { hashId } }), 200);
  await json(service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type } }), 202);
  return decisionId;
}

export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
