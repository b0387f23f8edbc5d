import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/process/service.ts';
import { fcmError, startFcm, startSendGrid, startTwilio } from '../support/vendors/vendors.ts';

const PUBLIC_URL = 'https://svc.example.org';
const TOKEN = 'twilio auth token';

/** A live service that sends through Twilio. */
async function withTwilio(env: Record<string, string> = { SVC_PUBLIC_URL: PUBLIC_URL }, more: object = {}) {
  const vendor = await startTwilio();
  const service = await startTestService({
    allowLoopbackWebhooks: true,
    providers: ['sms=twilio-sms'],
    environment: {
      TWILIO_ACCOUNT_SID: 'AC0123456789abcdef',
      TWILIO_AUTH_TOKEN: TOKEN,
      TWILIO_FROM: '+15017122661',
      TWILIO_BASE_URL: vendor.url,
      ...env,
    },
    ...more,
  });
  return { vendor, service };
}

async function addUser(service: TestService, user: object = { phone: '+15558675310' }): Promise<string> {
  const answer = await service.fetch('/v1/users', { body: { users: [{ userId: 'u1', ...user }] } });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { users: { hashId: string }[] }).users[0]!.hashId;
}

async function trigger(service: TestService, hashId: string, more: object = {}): Promise<string> {
  const body = { hashId, templateId: 'welcome', channel: 'sms', priority: 'transactional', ...more };
  const answer = await service.fetch('/v1/inform/trigger', { body });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { notificationId: string }).notificationId;
}

interface Delivery {
  status: string;
  failure?: string;
  history: { status: string; reason?: string }[];
}

async function record(service: TestService, id: string): Promise<Delivery> {
  return (await service.fetch(`/v1/inform/notifications/${id}`)).json() as Promise<Delivery>;
}

/** Waits until the workers have nothing to do. */
async function settled(service: TestService, id: string): Promise<Delivery> {
  while (!(await service.idle())) await new Promise((resolve) => setTimeout(resolve, 10));
  return record(service, id);
}

/** A receipt as Twilio posts it: signed over the public URL and the form. */
function post(
  service: TestService,
  fields: Record<string, string>,
  change: { query?: string; token?: string; url?: string } = {},
) {
  const path = `/v1/inform/receipts/${service.workspace}/twilio-sms${change.query ?? ''}`;
  const text = Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat()
    .join('');
  const signature = createHmac('sha1', change.token ?? TOKEN)
    .update(`${change.url ?? PUBLIC_URL}${path}${text}`)
    .digest('base64');
  return fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
    body: new URLSearchParams(fields).toString(),
  });
}

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
    expect((await post(service, status('delivered'))).status).toBe(404);
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
    await inbound(1, { Body: ' Stop ' });
    const refused = await settled(service, await trigger(service, hashId));
    expect(refused).toMatchObject({ status: 'failed', failure: 'suppressed: stop' });
    await inbound(2, { Body: 'please start again', OptOutType: 'START' });
    await inbound(1, { Body: ' Stop ' });
    expect((await settled(service, await trigger(service, hashId))).status).toBe('dispatched');
    expect(vendor.requests.length).toBe(1);
    expect((await inbound(3, { Body: 'When does it arrive?' })).status).toBe(200);
    await settled(service, await trigger(service, hashId));
    expect(vendor.requests.length).toBe(2);
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

it('SendGrid: a signed bounce fails the notification and suppresses the address', async () => {
  const vendor = await startSendGrid();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const service = await startTestService({
    allowLoopbackWebhooks: true,
    providers: ['email=sendgrid'],
    environment: {
      SENDGRID_API_KEY: 'SG.key',
      SENDGRID_FROM: 'shop@example.org',
      SENDGRID_BASE_URL: vendor.url,
      SENDGRID_VERIFICATION_KEY: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    },
  });
  const hashId = await addUser(service, { traits: { email: 'Ada@example.com' } });
  const id = await trigger(service, hashId, { channel: 'email' });
  expect((await settled(service, id)).status).toBe('dispatched');
  const send = (events: object[], key = privateKey) => {
    const body = `${JSON.stringify(events)}\r\n`;
    return fetch(`${service.url}/v1/inform/receipts/${service.workspace}/sendgrid`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-twilio-email-event-webhook-timestamp': '1600112502',
        'x-twilio-email-event-webhook-signature': sign(
          'sha256',
          Buffer.from(`1600112502${body}`),
          key,
        ).toString('base64'),
      },
      body,
    });
  };
  const bounce = {
    email: 'ada@example.com',
    event: 'bounce',
    type: 'bounce',
    sg_event_id: 'e1',
    reason: '550 ada@example.com',
    notificationId: id,
  };
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  expect((await send([bounce], other)).status).toBe(401);
  expect((await record(service, id)).status).toBe('dispatched');
  expect((await send([{ ...bounce, event: 'processed', type: undefined }, bounce])).status).toBe(200);
  expect(await record(service, id)).toMatchObject({
    status: 'failed',
    failure: 'the provider could not deliver it',
  });
  expect((await settled(service, await trigger(service, hashId, { channel: 'email' }))).failure).toBe(
    'suppressed: bounce',
  );
});

describe('the endpoint for receipts', () => {
  const withWhatsApp = (more: object = {}) =>
    startTestService({
      providers: ['whatsapp=whatsapp-cloud'],
      environment: {
        WHATSAPP_ACCESS_TOKEN: 't',
        WHATSAPP_PHONE_NUMBER_ID: '1',
        WHATSAPP_APP_SECRET: 'app secret',
        WHATSAPP_VERIFY_TOKEN: 'my token',
      },
      ...more,
    });
  const urlOf = (service: TestService) =>
    `${service.url}/v1/inform/receipts/${service.workspace}/whatsapp-cloud`;

  it('answers the challenge of Meta for the right token only, and a GET changes nothing', async () => {
    const service = await withWhatsApp();
    const ask = (query: string) => fetch(`${urlOf(service)}?${query}`);
    const right = await ask('hub.mode=subscribe&hub.verify_token=my%20token&hub.challenge=1158201444');
    expect([right.status, await right.text(), right.headers.get('content-type')]).toEqual([
      200,
      '1158201444',
      'text/plain; charset=utf-8',
    ]);
    expect((await ask('hub.mode=subscribe&hub.verify_token=other&hub.challenge=1')).status).toBe(403);
    expect((await ask('hub.verify_token=my%20token&hub.challenge=1')).status).toBe(403);
  });

  it('refuses unknown workspaces and providers, and bodies over 3 MiB', async () => {
    const service = await withWhatsApp();
    const send = (url: string, body: string) => fetch(url, { method: 'POST', body });
    expect((await send(urlOf(service).replace(service.workspace, 'ws_other'), '{}')).status).toBe(404);
    expect((await send(`${urlOf(service)}-other`, '{}')).status).toBe(404);
    expect((await send(urlOf(service), 'x'.repeat(3 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await send(urlOf(service), '{}')).status).toBe(401);
    expect((await fetch(urlOf(service), { method: 'DELETE' })).status).toBe(405);
  });

  it('counts receipts before it reads or checks them, apart from the requests with a key', async () => {
    const service = await withWhatsApp({ receiptsLimit: 2 });
    const raw = '{"entry":[]}';
    const signature = `sha256=${createHmac('sha256', 'app secret').update(raw).digest('hex')}`;
    const send = (value: string) =>
      fetch(urlOf(service), { method: 'POST', body: raw, headers: { 'x-hub-signature-256': value } });
    expect((await send('sha256=forged')).status).toBe(401);
    expect((await send(signature)).status).toBe(200);
    const refused = await send(signature);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await service.fetch('/v1/webhooks')).status).toBe(200);
  });
});
