// cspell:ignore filterdrecv kmzbl RSOY
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { loadProvider } from '../../../../src/service/notifications/providers/file/load.ts';
import { factsOf } from '../../../../src/service/notifications/receipts/events.ts';
import { type IncomingReceipt, isGenuine } from '../../../../src/service/notifications/receipts/verify.ts';

const receipt = (
  raw: string,
  headers: Record<string, string>,
  target = '/',
  form: [string, string][] = [],
): IncomingReceipt => ({ header: (name) => headers[name], raw: Buffer.from(raw), target, form });

it('SendGrid: the published vector, with its line end, is genuine; any change is not', () => {
  const provider = loadProvider('email', 'sendgrid', {
    SENDGRID_API_KEY: 'k',
    SENDGRID_FROM: 'a@example.com',
    SENDGRID_VERIFICATION_KEY:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
  });
  const events = [
    {
      email: 'hello@world.com',
      event: 'dropped',
      reason: 'Bounced Address',
      sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
      sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
      'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
      timestamp: 1600112492,
    },
  ];
  const raw = `${JSON.stringify(events)}\r\n`;
  const headers = {
    'x-twilio-email-event-webhook-signature':
      'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    'x-twilio-email-event-webhook-timestamp': '1600112502',
  };
  expect(isGenuine(provider, receipt(raw, headers))).toBe(true);
  expect(isGenuine(provider, receipt(raw.trimEnd(), headers))).toBe(false);
  const later = { ...headers, 'x-twilio-email-event-webhook-timestamp': '1600112503' };
  expect(isGenuine(provider, receipt(raw, later))).toBe(false);
  expect(isGenuine(provider, receipt(raw, {}))).toBe(false);
  expect(factsOf(provider, events, Buffer.from(raw))).toMatchObject([
    {
      kind: 'bounce',
      address: 'hello@world.com',
      failure: 'the provider could not deliver it: the address bounced before',
    },
  ]);
});

it('Twilio: the example of its documentation is genuine; another URL, field or token is not', () => {
  const fields = {
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  };
  const form = Object.entries(fields).reverse();
  const provider = (token: string, url = 'https://mycompany.com') =>
    loadProvider('sms', 'twilio-sms', {
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: token,
      TWILIO_FROM: '+1',
      SVC_PUBLIC_URL: url,
    });
  const target = '/myapp.php?foo=1&bar=2';
  const headers = { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' };
  const given = (changed: [string, string][] = form, at = target) => receipt('', headers, at, changed);
  expect(isGenuine(provider('12345'), given())).toBe(true);
  expect(isGenuine(provider('12346'), given())).toBe(false);
  expect(isGenuine(provider('12345', 'https://other.com'), given())).toBe(false);
  expect(isGenuine(provider('12345'), given([...form, ['To', '+1']]))).toBe(false);
  expect(isGenuine(provider('12345'), given(form, '/myapp.php'))).toBe(false);
});

it('Meta: sha256= and the hex HMAC of the raw body', () => {
  const provider = loadProvider('whatsapp', 'whatsapp-cloud', {
    WHATSAPP_ACCESS_TOKEN: 't',
    WHATSAPP_PHONE_NUMBER_ID: '1',
    WHATSAPP_APP_SECRET: 'app secret',
    WHATSAPP_VERIFY_TOKEN: 'v',
  });
  const raw = '{"object":"whatsapp_business_account","entry":[]}';
  const mac = createHmac('sha256', 'app secret').update(raw).digest('hex');
  expect(isGenuine(provider, receipt(raw, { 'x-hub-signature-256': `sha256=${mac}` }))).toBe(true);
  expect(isGenuine(provider, receipt(raw, { 'x-hub-signature-256': mac }))).toBe(false);
  expect(isGenuine(provider, receipt(`${raw} `, { 'x-hub-signature-256': `sha256=${mac}` }))).toBe(false);
});

it('a receipt with thousands of events is not read', () => {
  const provider = loadProvider('email', 'sendgrid', { SENDGRID_API_KEY: 'k', SENDGRID_FROM: 'a@b.c' });
  const events = Array.from({ length: 5001 }, () => ({ event: 'delivered' }));
  expect(factsOf(provider, events, Buffer.from(''))).toBeUndefined();
  expect(factsOf(provider, events.slice(1), Buffer.from(''))?.length).toBe(5000);
});
