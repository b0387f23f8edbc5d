import { expect, it, onTestFinished } from 'vitest';
import { type Answer, startReceiver } from '../../support/peers/receiver.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';

const DAY_MS = 24 * 3600 * 1000;

async function receiver(answer?: Answer) {
  const started = await startReceiver(answer);
  onTestFinished(() => started.close());
  return started;
}

async function json(response: Promise<Response>, status: number) {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return JSON.parse(text);
}

/** Creates a subscription and returns its id. */
async function subscribe(service: TestService, url: string): Promise<string> {
  const body = { url, events: ['campaign.clicked'], signingSecret: 'a signing secret of a test' };
  return (await json(service.fetch('/v1/webhooks', { body }), 201)).id;
}

/** Reports an outcome that creates a delivery. */
async function tap(service: TestService): Promise<void> {
  const { users } = await json(service.fetch('/v1/users', { body: { users: [{ userId: 'u' }] } }), 200);
  const { hashId } = users[0];
  const { decisionId } = await json(service.fetch('/v1/decisioning/decide', { body: { hashId } }), 200);
  await json(service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type: 'clicked' } }), 202);
}

/** The deliveries of a subscription, after each was attempted. */
async function tried(service: TestService, id: string, count: number) {
  for (;;) {
    const { deliveries } = await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200);
    if (deliveries.length === count && deliveries.every((one: { attempts: [] }) => one.attempts.length > 0))
      return deliveries;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('limits the Retry-After of a subscriber, so that its deliveries can be listed and are sent', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const waits = ['99999999999999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT', '8640000000000'];
  for (const wait of waits) {
    const target = await receiver((response) => response.writeHead(503, { 'retry-after': wait }).end());
    const id = await subscribe(service, target.url);
    await tap(service);
    const [delivery] = await tried(service, id, 1);
    const inMs = Date.parse(delivery.nextAttemptAt) - Date.now();
    expect(inMs, wait).toBeGreaterThan(6 * DAY_MS);
    expect(inMs, wait).toBeLessThan(8 * DAY_MS);
    await json(service.fetch(`/v1/webhooks/${id}`, { method: 'PATCH', body: { status: 'disabled' } }), 200);
  }
});

it('sends nothing over a connection that an earlier policy allowed', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const sockets = new Set<unknown>();
  const closed: unknown[] = [];
  const target = await receiver((response, _got, { socket }) => {
    sockets.add(socket);
    socket.once('close', () => closed.push(socket));
    response.writeHead(204, { 'keep-alive': 'timeout=600' }).end();
  });
  const id = await subscribe(service, target.url);
  await tap(service);
  await tried(service, id, 1);
  const strict = await startTestService({ database: service.database, allowLoopbackWebhooks: false });
  while (service.policy().allowLoopbackWebhooks) await new Promise((resolve) => setTimeout(resolve, 10));
  // The subscription with the connection sends.
  await strict.close();
  await tap(service);
  const deliveries = await tried(service, id, 2);
  expect(deliveries.map((one: { status: string }) => one.status).sort()).toEqual(['delivered', 'pending']);
  expect(deliveries.find((one: { status: string }) => one.status === 'pending').attempts).toMatchObject([
    { status: null, error: expect.stringContaining('public addresses only') },
  ]);
  expect(target.received.length).toBe(1);
  while (closed.length < sockets.size) await new Promise((resolve) => setTimeout(resolve, 10));
});

it('opens at most 64 connections to one host, and still serves other hosts', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  let open = 0;
  let most = 0;
  const hanging = await receiver((response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
  });
  for (let i = 0; i < 10; i++) await subscribe(service, `${hanging.url}${i}`);
  const good = await receiver();
  await subscribe(service, good.url);
  for (let i = 0; i < 12; i++) await tap(service);
  await Promise.all([good.waitFor(12), hanging.waitFor(64)]);
  // More rounds of the deliverer.
  for (let i = 0; i < 3; i++) {
    await tap(service);
    await good.waitFor(13 + i);
  }
  // Those that time out leave their places to others.
  expect(most).toBeLessThanOrEqual(64);
});
