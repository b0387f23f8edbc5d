import { describe, expect, it } from 'vitest';
import { receipts } from '../../../src/service/notifications/store/receipts.ts';
import { startTestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';
import {
  addUser,
  type Delivery,
  post,
  record,
  settled,
  trigger,
  withTwilio,
} from '../../support/vendors/live-service.ts';
import { fcmError, startFcm } from '../../support/vendors/vendors.ts';

const DAY_MS = 86_400_000;

const statuses = ({ history }: Delivery) => history.map(({ status }) => status);
const sid = (n: number) => `SM${String(n).padStart(32, '0')}`;
const status = (MessageStatus: string, more: object = {}) => ({
  MessageSid: sid(1),
  MessageStatus,
  To: '+15558675310',
  ...more,
});

describe('a notification through a provider with receipts', () => {
  it('is dispatched until a receipt says delivered; forged, replayed and late ones change nothing', async () => {
    const { service } = await withTwilio();
    const id = await trigger(service, await addUser(service));
    expect((await settled(service, id)).status).toBe('dispatched');
    const query = `?notificationId=${id}`;
    for (const forged of [
      { query, token: 'another' },
      { query, url: 'http://evil.example' },
    ])
      expect((await post(service, status('delivered'), forged)).status).toBe(401);
    expect((await post(service, status('sent'), { query })).status).toBe(200);
    expect((await record(service, id)).status).toBe('dispatched');
    const answer = await post(service, status('delivered'), { query });
    expect([answer.status, await answer.text()]).toEqual([200, '<Response/>']);
    const delivered = await record(service, id);
    expect(delivered.history.at(-1)).toMatchObject({
      status: 'delivered',
      reason: 'confirmed by the provider',
    });
    for (const late of [status('delivered'), status('undelivered', { ErrorCode: '30003' }), status('sent')])
      expect((await post(service, late, { query })).status).toBe(200);
    expect(await record(service, id)).toEqual(delivered);
  });

  it('fails with the reason of a receipt, which may name the message alone', async () => {
    const { service } = await withTwilio();
    const id = await trigger(service, await addUser(service));
    await settled(service, id);
    await post(service, status('undelivered', { ErrorCode: '30003', ErrorMessage: 'for +15558675310' }));
    const failed = await record(service, id);
    expect(failed).toMatchObject({
      status: 'failed',
      failure: 'the provider could not deliver it (30003): the handset is off or out of reach',
    });
    await post(service, status('delivered'));
    expect(await record(service, id)).toEqual(failed);
  });

  it('ends by a receipt that arrived before the message was stored', async () => {
    const { service } = await withTwilio();
    const hashId = await addUser(service);
    expect((await post(service, status('delivered'))).status).toBe(200);
    const id = await trigger(service, hashId);
    expect(statuses(await settled(service, id))).toEqual(['queued', 'dispatched', 'delivered']);
  });

  it('says why it is sent again only until the provider accepted it', async () => {
    const { vendor, service } = await withTwilio();
    vendor.answers.push({ status: 429, headers: { 'retry-after': '1' } });
    const id = await trigger(service, await addUser(service));
    await expect.poll(async () => (await record(service, id)).history.at(-1)?.reason).toMatch(/429/);
    await expect.poll(() => vendor.requests.length).toBe(2);
    await expect.poll(async () => (await record(service, id)).history.at(-1)?.reason).toBeUndefined();
    expect(statuses(await record(service, id))).toEqual(['queued', 'dispatched']);
  });

  it('whose answer was lost fails as uncertain, and a receipt settles it', async () => {
    const { vendor, service } = await withTwilio();
    const hashId = await addUser(service);
    vendor.answers.push({ status: 500 }, { status: 500 });
    const [one, two] = [await trigger(service, hashId), await trigger(service, hashId)];
    await settled(service, one!);
    expect(await settled(service, two!)).toMatchObject({
      status: 'failed',
      failure: 'uncertain: the provider answered 500; whether it was sent is not known',
    });
    await post(service, status('delivered'), { query: `?notificationId=${one}` });
    await post(service, status('failed', { ErrorCode: '30008' }), { query: `?notificationId=${two}` });
    expect(statuses(await record(service, one!))).toEqual(['queued', 'dispatched', 'failed', 'delivered']);
    expect(await record(service, two!)).toMatchObject({
      failure: 'the provider could not deliver it (30008): the carrier gave no reason',
      history: [{}, {}, { status: 'failed' }],
    });
    expect(vendor.requests.length).toBe(2);
  });

  it('without a public address of the service is delivered once accepted, and says so', async () => {
    const { vendor, service } = await withTwilio({});
    const id = await trigger(service, await addUser(service));
    expect((await settled(service, id)).history.at(-1)).toMatchObject({
      status: 'delivered',
      reason: 'accepted by the provider',
    });
    expect(vendor.requests[0]!.body).not.toContain('StatusCallback');
    expect((await post(service, status('delivered'))).status).toBe(401);
  });
});

describe('an address', () => {
  it('that is missing fails the notification without a call', async () => {
    const { vendor, service } = await withTwilio();
    const id = await trigger(service, await addUser(service, {}));
    expect(await settled(service, id)).toMatchObject({ status: 'failed', failure: 'no_address' });
    expect(vendor.requests).toEqual([]);
  });

  it('that sent STOP gets nothing more until START, whatever is replayed', async () => {
    const { vendor, service } = await withTwilio();
    const hashId = await addUser(service, { phone: '+1 (555) 867-5310' });
    const inbound = (n: number, fields: object) =>
      post(service, { MessageSid: sid(n), From: '+15558675310', To: '+15017122661', ...fields });
    await settled(service, await trigger(service, hashId));
    await inbound(1, { Body: ' Stop ' });
    const refused = await settled(service, await trigger(service, hashId));
    expect(refused).toMatchObject({ status: 'failed', failure: 'suppressed: stop' });
    await inbound(2, { Body: 'please start again', OptOutType: 'START' });
    await inbound(1, { Body: ' Stop ' });
    expect((await settled(service, await trigger(service, hashId))).status).toBe('dispatched');
    expect(vendor.requests.length).toBe(2);
    expect((await inbound(3, { Body: 'When does it arrive?' })).status).toBe(200);
    await settled(service, await trigger(service, hashId));
    expect(vendor.requests.length).toBe(3);
  });

  it('that a provider calls dead, or opted out, is not used again', async () => {
    const { vendor, service } = await withTwilio();
    const hashId = await addUser(service);
    const invalid = JSON.stringify({
      code: 21211,
      message: "The 'To' number +15558675310 is not valid",
      status: 400,
    });
    vendor.answers.push({ status: 400, body: invalid });
    expect((await settled(service, await trigger(service, hashId))).failure).toBe(
      'the provider answered 400 (21211): the number is not valid',
    );
    expect((await settled(service, await trigger(service, hashId))).failure).toBe('suppressed: bounce');
    // Another number is another address.
    await addUser(service, { phone: '+15558675311' });
    expect((await settled(service, await trigger(service, hashId))).status).toBe('dispatched');
    vendor.answers.push({ status: 400, body: JSON.stringify({ code: 21610 }) });
    expect((await settled(service, await trigger(service, hashId))).failure).toContain('answered STOP');
    expect((await settled(service, await trigger(service, hashId))).failure).toBe('suppressed: stop');
    expect(vendor.requests.length).toBe(3);
  });

  it('of a device is removed when FCM does not know it; the others still get the message, each once', async () => {
    const vendor = await startFcm();
    const service = await startTestService({
      allowLoopbackWebhooks: true,
      providers: ['push=fcm-v1'],
      environment: { FCM_SERVICE_ACCOUNT: vendor.serviceAccount, FCM_BASE_URL: vendor.url },
    });
    const devices = ['one', 'two', 'three'].map((token) => ({ channel: 'push', token }));
    const hashId = await addUser(service, { devices });
    vendor.answers.push(fcmError(404, 'UNREGISTERED', 'NOT_FOUND'), {
      ...fcmError(429, 'QUOTA_EXCEEDED', 'RESOURCE_EXHAUSTED'),
      headers: { 'retry-after': '1' },
    });
    const id = await trigger(service, hashId, { channel: 'push' });
    while ((await record(service, id)).status !== 'delivered')
      await new Promise((resolve) => setTimeout(resolve, 20));
    const tokens = () => vendor.requests.map(({ body }) => JSON.parse(body).message.token as string);
    const [dead, throttled, taken, again] = tokens();
    expect(new Set([dead, throttled, taken]).size).toBe(3);
    expect(again).toBe(throttled);
    await settled(service, await trigger(service, hashId, { channel: 'push' }));
    expect(tokens().slice(4).sort()).toEqual([throttled, taken].sort());
  });
});

it('Retry-After is obeyed by every message of the provider, and no attempt is lost to it', async () => {
  const { vendor, service } = await withTwilio({});
  const hashId = await addUser(service);
  // More refusals than attempts that count.
  for (let i = 0; i < 7; i++)
    vendor.answers.push({ status: 429, headers: { 'retry-after': i === 0 ? '1' : '0' } });
  const started = Date.now();
  const ids = await Promise.all([trigger(service, hashId)]);
  while ((await record(service, ids[0]!)).status === 'queued')
    await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await trigger(service, hashId);
  for (const id of [...ids, second])
    while ((await record(service, id)).status !== 'delivered')
      await new Promise((resolve) => setTimeout(resolve, 20));
  expect(Date.now() - started).toBeGreaterThanOrEqual(1000);
  expect(vendor.requests.length).toBe(9);
});

it('receipts that changed an address are known for a year, and then forgotten', async () => {
  const service = await startTestService({ testClock: true });
  const { platform, workspace } = service;
  const first = (id: string) => platform.store.write((tx) => receipts.first(tx, workspace, 'p', id));
  await first('older');
  await advance(service, 33 * DAY_MS);
  await first('old');
  await advance(service, 3 * DAY_MS);
  await first('recent');
  await advance(service, 364 * DAY_MS);
  const known = () =>
    platform.store.read(({ sql }) =>
      sql.all('SELECT receipt_id AS id FROM receipt_seen WHERE workspace_id = ?', [workspace]),
    );
  // The janitor of the service removes them.
  await expect.poll(known).toEqual([{ id: 'recent' }]);
  expect([await first('recent'), await first('old'), await first('older')]).toEqual([false, true, true]);
});
