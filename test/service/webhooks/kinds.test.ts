import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EVENT_KINDS, exampleBody, TAP_KINDS } from '../../../src/contract/event-kinds.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';
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
  await expect.poll(() => named.bodies().length, { timeout: 20_000 }).toBe(2);
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
  await expect.poll(() => named.bodies().length, { timeout: 20_000 }).toBe(1);
  expect(named.bodies()).toMatchObject([{ type: 'message.dismissed', decisionId: dismissed, hashId }]);
  await advance(service, 40 * 86_400_000);
  await expect.poll(() => named.bodies().length, { timeout: 20_000 }).toBe(2);
  expect(named.of('message.expired')).toMatchObject([{ decisionId, hashId }]);
  expect(decisionId).not.toBe(clicked);
  for (const body of named.bodies()) expectDocumented(body);
});

it('tells bounces and opt-outs once, with the notification they are about', async () => {
  const service = await withGeneric();
  const named = await tellsOf(service, MORE);
  const hashId = await knownUser(service);
  const stopped = await trigger(service, hashId);
  await expect.poll(() => named.of('notification.dispatched').length, { timeout: 20_000 }).toBe(1);
  // It is told before it is sent.
  await expect.poll(() => service.idle(), { timeout: 20_000 }).toBe(true);
  const stop = { type: 'stop', address: PHONE };
  for (const receiptId of ['s1', 's1', 's2']) await postReceipt(service, { receiptId, ...stop });
  await postReceipt(service, { receiptId: 's3', ...stop, address: '+15550000000' });
  await postReceipt(service, { receiptId: 's4', type: 'start', address: PHONE });
  const bounced = await trigger(service, hashId);
  await expect.poll(() => named.of('notification.dispatched').length, { timeout: 20_000 }).toBe(2);
  const bounce = { status: 'bounce', notificationId: bounced, address: PHONE };
  for (const receiptId of ['b1', 'b1', 'b2']) await postReceipt(service, { receiptId, ...bounce });
  await expect.poll(() => named.of('notification.bounced').length, { timeout: 20_000 }).toBe(1);
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
  const named = await tellsOf(service, MORE);
  const path = `/v1/webhooks/${named.id}`;
  await json(service.fetch(path, { method: 'PATCH', body: { status: 'disabled' } }), 200);
  const hashId = await knownUser(service);
  const notificationId = await trigger(service, hashId, { templateId: 'offer', priority: 'marketing' });
  const missed = async () => (await json(service.fetch(path), 200)).missed.outcomes;
  await expect.poll(missed, { timeout: 20_000 }).toBe(1);
  await json(service.fetch(path, { method: 'PATCH', body: { status: 'active', from: 'disabled' } }), 200);
  await expect.poll(() => named.bodies().length, { timeout: 20_000 }).toBe(1);
  expect(named.bodies()).toMatchObject([{ type: 'notification.held', notificationId, reason: 'paused' }]);
  for (const body of named.bodies()) expectDocumented(body);
});
