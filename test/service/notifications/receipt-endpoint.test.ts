import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { addUser, record, settled, trigger } from '../../support/vendors/live-service.ts';
import { startSendGrid } from '../../support/vendors/vendors.ts';

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
    const query = 'hub.mode=subscribe&hub.verify_token=my%20token&hub.challenge=1';
    for (const url of [urlOf(service).replace(service.workspace, 'ws_other'), `${urlOf(service)}-other`])
      expect((await fetch(`${url}?${query}`)).status).toBe(403);
  });

  it('refuses unknown workspaces and providers, and bodies over 3 MiB', async () => {
    const service = await withWhatsApp();
    const send = (url: string, body: string) => fetch(url, { method: 'POST', body });
    expect((await send(urlOf(service).replace(service.workspace, 'ws_other'), '{}')).status).toBe(401);
    expect((await send(`${urlOf(service)}-other`, '{}')).status).toBe(401);
    const large = await send(urlOf(service), 'x'.repeat(3 * 1024 * 1024 + 1));
    expect(large.status).toBe(413);
    expect(await large.json()).toMatchObject({ message: 'The body is larger than 3 MiB.' });
    expect((await send(urlOf(service), '{}')).status).toBe(401);
    expect((await fetch(urlOf(service), { method: 'DELETE' })).status).toBe(405);
  });

  it('counts genuine receipts by workspace, apart from the requests with a key', async () => {
    const service = await withWhatsApp({ receiptsLimit: 2 });
    const raw = '{"entry":[]}';
    const signature = `sha256=${createHmac('sha256', 'app secret').update(raw).digest('hex')}`;
    const send = (value: string) =>
      fetch(urlOf(service), { method: 'POST', body: raw, headers: { 'x-hub-signature-256': value } });
    for (let i = 0; i < 3; i++) expect((await send('sha256=forged')).status).toBe(401);
    for (let i = 0; i < 2; i++) expect((await send(signature)).status).toBe(200);
    const refused = await send(signature);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await service.fetch('/v1/webhooks')).status).toBe(200);
  });
});
