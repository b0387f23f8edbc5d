import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EVENT_KINDS } from '../../../src/contract/event-kind-names.ts';
import { exampleBody, TAP_KINDS } from '../../../src/contract/event-kinds.ts';
import { failingProviders } from '../../../src/service/notifications/store/failing-providers.ts';
import type { DispatchResult } from '../../../src/service/notifications/store/notification-rows.ts';
import { createMetrics } from '../../../src/service/telemetry/metrics.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance, clockOf } from '../../support/process/test-clock.ts';
import { json, knownUser, receiver, subscribe, tap } from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';

type Body = Record<string, string>;
const SECRET = 'the provider secret 1';
const PHONE = '+441234567890';

/** A receiver of some kinds, and what it got of each. */
async function tellsOf(service: TestService, events: readonly string[], more: object = {}) {
  const target = await receiver();
  const { id } = await subscribe(service, target.url, { events, ...more });
  const bodies = () => target.received.map(({ body }) => JSON.parse(body.toString()) as Body);
  return { id, bodies, of: (kind: string) => bodies().filter(({ type }) => type === kind) };
}

const trigger = async (service: TestService, hashId: string, more: object = {}): Promise<string> => {
  const body = { hashId, templateId: 'welcome', channel: 'sms', priority: 'transactional', ...more };
  return (await json(service.fetch('/v1/inform/trigger', { body }), 202)).notificationId;
};

/** A live service that sends through the provider `generic`. */
async function withGeneric() {
  const provider = await receiver();
  return startTestService({
    allowLoopbackWebhooks: true,
    providers: ['sms=generic'],
    environment: { SVC_SMS_URL: provider.url, SVC_PROVIDER_SECRET: SECRET, SVC_PROVIDER_RECEIPTS: '1' },
  });
}

async function postReceipt({ url, workspace }: TestService, receipt: object): Promise<void> {
  const body = JSON.stringify({ channel: 'sms', ...receipt });
  const headers = {
    'content-type': 'application/json',
    'x-service-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
  };
  const to = `${url}/v1/inform/receipts/${workspace}/generic`;
  expect((await fetch(to, { method: 'POST', body, headers })).status).toBe(200);
}

/** Expects the fields of the documented example, and nothing that is known of the user beside the hashId. */
function expectDocumented(body: Body) {
  const example = Object.keys(exampleBody(body.type!, '', 0));
  const optional = ['reason', 'category'];
  expect(Object.keys(body).filter((key) => !example.includes(key))).toEqual([]);
  expect(example.filter((key) => !(key in body) && !optional.includes(key))).toEqual([]);
  expect(JSON.stringify(body)).not.toMatch(/Ada|Lovelace|\+?441234567890|u1"/);
}

const MORE = EVENT_KINDS.filter((kind) => !(TAP_KINDS as readonly string[]).includes(kind));

it('tells what became of a notification to those who name it, and nobody else', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const hashId = await knownUser(service);
  const logged = () =>
    service.platform.store.read((tx) =>
      tx.sql.all<{ kind: string }>('SELECT kind FROM outcome_log WHERE workspace_id = ?', [
        service.workspace,
      ]),
    );
  const taps = await tellsOf(service, TAP_KINDS);
  const { id } = await tellsOf(service, MORE);
  await json(service.fetch(`/v1/webhooks/${id}`, { method: 'DELETE' }), 204);
  const before = await trigger(service, hashId);
  await expect
    .poll(async () => (await json(service.fetch(`/v1/inform/notifications/${before}`), 200)).status)
    .toBe('delivered');
  expect(await logged()).toEqual([]);

  const named = await tellsOf(service, MORE, { filter: 'templateId:wel*' });
  const notificationId = await trigger(service, hashId);
  await expect.poll(() => named.bodies().length).toBe(2);
  const [dispatched] = named.of('notification.dispatched');
  expect(dispatched).toMatchObject({ notificationId, contentId: 'welcome', hashId, channel: 'sms' });
  const [delivered] = named.of('notification.delivered');
  expect(delivered).toMatchObject({ notificationId, reason: expect.stringContaining('outbox') });
  for (const body of named.bodies()) expectDocumented(body);
  expect(taps.bodies()).toEqual([]);
});

it('tells dismissed and expired messages', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true, testClock: true });
  const named = await tellsOf(service, ['message.dismissed', 'message.expired']);
  const hashId = await knownUser(service);
  const dismissed = await tap(service, hashId, 'dismissed');
  const clicked = await tap(service, hashId);
  const { decisionId } = await json(service.fetch('/v1/decisioning/decide', { body: { hashId } }), 200);
  await expect.poll(() => named.bodies().length).toBe(1);
  expect(named.bodies()).toMatchObject([{ type: 'message.dismissed', decisionId: dismissed, hashId }]);
  await advance(service, 40 * 86_400_000);
  await expect.poll(() => named.bodies().length).toBe(2);
  expect(named.of('message.expired')).toMatchObject([{ decisionId, hashId }]);
  expect(decisionId).not.toBe(clicked);
  for (const body of named.bodies()) expectDocumented(body);
});

it('tells of an expired message soon, also where nothing was removed for long', async () => {
  const catalog = join(tempDir(), 'catalog.json');
  const contents = [{ contentId: 'a', category: 'offers', title: 'A', body: 'B', format: 'card' }];
  writeFileSync(catalog, JSON.stringify({ contents, settings: { messageDays: 1 } }));
  const service = await startTestService({ allowLoopbackWebhooks: true, testClock: true, catalog });
  const hashId = await knownUser(service);
  // The janitor looks less and less often.
  for (let i = 0; i < 8; i++) await advance(service, 2 * 3_600_000);
  const untilMidnight = 86_400_000 - (Date.parse((await clockOf(service)).now) % 86_400_000);
  await advance(service, untilMidnight + 86_400_000 - 60_000);
  const named = await tellsOf(service, ['message.expired']);
  const { decisionId } = await json(service.fetch('/v1/decisioning/decide', { body: { hashId } }), 200);
  await advance(service, 3 * 60_000);
  await expect.poll(() => named.bodies()).toMatchObject([{ decisionId, hashId }]);
});

it('tells bounces and opt-outs once, with the notification they are about', async () => {
  const service = await withGeneric();
  const named = await tellsOf(service, MORE);
  const hashId = await knownUser(service);
  const stopped = await trigger(service, hashId);
  await expect.poll(() => named.of('notification.dispatched').length).toBe(1);
  // It is told before it is sent.
  await expect.poll(() => service.idle()).toBe(true);
  const stop = { type: 'stop', address: PHONE };
  for (const receiptId of ['s1', 's1', 's2']) await postReceipt(service, { receiptId, ...stop });
  await postReceipt(service, { receiptId: 's3', ...stop, address: '+15550000000' });
  await postReceipt(service, { receiptId: 's4', type: 'start', address: PHONE });
  const bounced = await trigger(service, hashId);
  await expect.poll(() => named.of('notification.dispatched').length).toBe(2);
  const bounce = { status: 'bounce', notificationId: bounced, address: PHONE };
  for (const receiptId of ['b1', 'b1', 'b2']) await postReceipt(service, { receiptId, ...bounce });
  await expect.poll(() => named.of('notification.bounced').length).toBe(1);
  const of = { hashId, channel: 'sms' };
  expect(named.of('notification.opted_out')).toMatchObject([{ notificationId: stopped, ...of }]);
  expect(named.of('notification.bounced')).toMatchObject([{ notificationId: bounced, ...of }]);
  expect(named.of('notification.failed')).toMatchObject([
    { notificationId: bounced, ...of, reason: expect.stringContaining('could not deliver') },
  ]);
  for (const body of named.bodies()) expectDocumented(body);
  const ids = named.bodies().map(({ deliveryId }) => deliveryId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('tells a held notification, also to a subscription that was disabled', async () => {
  const catalog = join(tempDir(), 'catalog.json');
  const templates = [{ templateId: 'offer', category: 'offers', body: 'Hi', paused: true }];
  writeFileSync(catalog, JSON.stringify({ contents: [], templates }));
  const service = await startTestService({ allowLoopbackWebhooks: true, catalog });
  const named = await tellsOf(service, ['notification.held', 'notification.dispatched']);
  const path = `/v1/webhooks/${named.id}`;
  await json(service.fetch(path, { method: 'PATCH', body: { status: 'disabled' } }), 200);
  const hashId = await knownUser(service);
  const notificationId = await trigger(service, hashId, { templateId: 'offer', priority: 'marketing' });
  const missed = async () => (await json(service.fetch(path), 200)).missed.outcomes;
  await expect.poll(missed).toBe(1);
  await json(service.fetch(path, { method: 'PATCH', body: { status: 'active', from: 'disabled' } }), 200);
  await expect.poll(() => named.bodies().length).toBe(1);
  expect(named.bodies()).toMatchObject([{ type: 'notification.held', notificationId, reason: 'paused' }]);
  for (const body of named.bodies()) expectDocumented(body);
});

it('tells that a notification is held until the time for which it was triggered', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const named = await tellsOf(service, ['notification.held']);
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const notificationId = await trigger(service, await knownUser(service), { sendAt });
  await expect.poll(() => named.bodies().length).toBe(1);
  expect(named.bodies()).toMatchObject([{ type: 'notification.held', notificationId, reason: 'send_at' }]);
  for (const body of named.bodies()) expectDocumented(body);
});

it('tells another subscription that one was disabled and enabled, once each', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const operators = MORE.filter((kind) => /^(subscription|delivery)[.]/.test(kind));
  const named = await tellsOf(service, operators);
  const gone = await receiver((response) => void response.writeHead(410).end());
  const { id: webhookId } = await subscribe(service, gone.url);
  await tap(service, await knownUser(service));
  await expect.poll(() => named.bodies().length).toBe(2);
  const reason = 'the receiver answered 410 Gone';
  expect(named.of('subscription.disabled')).toMatchObject([{ webhookId, hashId: '', reason }]);
  const [delivery] = (await json(service.fetch(`/v1/webhooks/${webhookId}/deliveries`), 200)).deliveries;
  expect(named.of('delivery.exhausted')).toMatchObject([
    { webhookId, failedDeliveryId: delivery.deliveryId, reason: 'HTTP 410' },
  ]);
  const { body: metrics } = await createMetrics(service.platform.store, () => performance.now()).text();
  expect(metrics).toMatch(/^svc_webhook_subscriptions_disabled 1$/m);
  const set = (status: string) =>
    json(service.fetch(`/v1/webhooks/${webhookId}`, { method: 'PATCH', body: { status } }), 200);
  // What changes nothing is not told, and its reason stays.
  expect(await set('disabled')).toMatchObject({ disabledReason: reason });
  for (const status of ['active', 'active', 'disabled']) await set(status);
  await expect.poll(() => named.bodies().length).toBe(4);
  expect(named.of('subscription.enabled')).toMatchObject([{ webhookId }]);
  expect(named.of('subscription.disabled')[1]).toMatchObject({ webhookId, reason: 'disabled by request' });
  for (const body of named.bodies()) expectDocumented(body);
});

it('tells of no exhausted delivery that told of one', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true, testClock: true });
  const down = await receiver((response) => void response.writeHead(500).end());
  const ids: string[] = [];
  for (let n = 0; n < 2; n++)
    ids.push((await subscribe(service, down.url, { events: ['campaign.clicked', 'delivery.exhausted'] })).id);
  await tap(service, await knownUser(service));
  await advance(service, 8 * 86_400_000);
  const all = await service.platform.store.read((tx) =>
    tx.sql.all<{ kind: string }>('SELECT kind FROM outcome_log WHERE workspace_id = ?', [service.workspace]),
  );
  expect(all.map(({ kind }) => kind).sort()).toEqual([
    'campaign.clicked',
    'delivery.exhausted',
    'delivery.exhausted',
  ]);
});

it('tells of a provider that takes nothing for a minute, and of the first notification that it takes', async () => {
  const provider = await receiver((response) => void response.writeHead(503).end());
  const service = await startTestService({
    allowLoopbackWebhooks: true,
    providers: ['sms=generic'],
    environment: { SVC_SMS_URL: provider.url, SVC_PROVIDER_SECRET: SECRET },
  });
  const { store } = service.platform;
  const { workspace } = service;
  const failures = () =>
    store.read((tx) =>
      tx.sql.all('SELECT channel, provider, failures FROM failing_provider WHERE workspace_id = ?', [
        workspace,
      ]),
    );
  const hashId = await knownUser(service);
  // Nobody wants to know.
  await trigger(service, hashId);
  await provider.waitFor(1);
  await expect.poll(() => service.idle()).toBe(true);
  expect(await failures()).toEqual([]);
  const named = await tellsOf(service, ['provider.failing', 'provider.recovered']);
  await trigger(service, hashId);
  const sent = { channel: 'sms', provider: 'generic' };
  await expect.poll(failures).toMatchObject([sent]);

  const retry = { event: 'retry', failure: 'HTTP 503', throttled: false, accepted: undefined } as const;
  const note = (result: DispatchResult, at: number) =>
    store.write(async (tx) => failingProviders.note({ ...tx, now: start + at }, workspace, of, result));
  const start = Date.now() - 100_000;
  // Another one, of which the service itself makes no attempts.
  const of = { channel: 'sms', provider: 'other' };
  for (const at of [0, 1000, 2000]) await note(retry, at);
  await note({ ...retry, throttled: true }, 70_000);
  await note({ event: 'fail', failure: 'rejected' }, 70_000);
  expect(named.bodies()).toEqual([]);
  for (const at of [70_000, 80_000]) await note(retry, at);
  await expect.poll(() => named.bodies().length).toBe(1);
  for (let n = 0; n < 2; n++) await note({ event: 'accept' }, 90_000);
  await expect.poll(() => named.bodies().length).toBe(2);
  expect(named.of('provider.failing')).toMatchObject([{ ...of, hashId: '', reason: 'HTTP 503' }]);
  expect(named.of('provider.recovered')).toMatchObject([of]);
  for (const body of named.bodies()) expectDocumented(body);
});

it('tells that the deliveries of a subscription are late, once an hour', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const named = await tellsOf(service, ['backlog.late']);
  const slow = await receiver();
  const { id: webhookId } = await subscribe(service, slow.url);
  const hashId = await knownUser(service);
  const queueLate = async () => {
    await json(
      service.fetch(`/v1/webhooks/${webhookId}`, { method: 'PATCH', body: { status: 'disabled' } }),
      200,
    );
    // As if it had been due before the node was started.
    await service.platform.store.write((tx) =>
      tx.sql.run(
        `INSERT INTO delivery (workspace_id, delivery_id, webhook_id, kind, body, status, occurred_at, attempts, claim,
           claimed, due_at, behind) VALUES (?, ?, ?, 'campaign.clicked', '{}', 'pending', ?, 0, 0, 0, ?, 0)`,
        [service.workspace, `dlv_late_${Math.random()}`, webhookId, tx.now, tx.now - 61_000],
      ),
    );
    await json(
      service.fetch(`/v1/webhooks/${webhookId}`, { method: 'PATCH', body: { status: 'active' } }),
      200,
    );
  };
  await tap(service, hashId);
  await slow.waitFor(1);
  await queueLate();
  await slow.waitFor(2);
  await expect.poll(() => named.bodies().length).toBe(1);
  await queueLate();
  await slow.waitFor(3);
  await expect.poll(() => service.idle()).toBe(true);
  expect(named.bodies()).toMatchObject([{ type: 'backlog.late', webhookId, pending: 1, hashId: '' }]);
  expect(Date.parse(named.bodies()[0]!.oldestAt!)).toBeLessThan(Date.now() - 61_000);
  for (const body of named.bodies()) expectDocumented(body);
});
