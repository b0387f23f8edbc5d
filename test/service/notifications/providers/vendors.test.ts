import { describe, expect, it } from 'vitest';
import type { ChannelMessage, SendResult } from '../../../../src/service/notifications/providers/channel.ts';
import { loadProvider } from '../../../../src/service/notifications/providers/file/load.ts';
import { anyOutgoing } from '../../../../src/service/notifications/providers/outgoing.ts';
import { providerChannel } from '../../../../src/service/notifications/providers/provider.ts';
import { untraced } from '../../../../src/service/platform/tracing/tracing.ts';
import { json, type Vendor } from '../../../support/vendors/vendor.ts';
import {
  fcmError,
  startFcm,
  startSendGrid,
  startTwilio,
  startWhatsApp,
} from '../../../support/vendors/vendors.ts';
import { sampleMessage } from './message.ts';

const { signal } = new AbortController();

type Environment = Record<string, string>;
const open = (channel: string, name: string, env: Environment, deadlineMs = 10_000, now = Date.now) =>
  providerChannel(loadProvider(channel, name, env), {
    outgoing: anyOutgoing(),
    tracing: untraced,
    deadlineMs,
    now,
  });

const twilio = async (env: Environment = {}, deadlineMs?: number) => {
  const vendor = await startTwilio();
  const account = { TWILIO_ACCOUNT_SID: 'AC0123456789abcdef', TWILIO_AUTH_TOKEN: 'twilio auth token' };
  const settings = { ...account, TWILIO_FROM: '+15017122661', TWILIO_BASE_URL: vendor.url, ...env };
  return { vendor, channel: open('sms', 'twilio-sms', settings, deadlineMs) };
};
const whatsapp = async () => {
  const vendor = await startWhatsApp();
  const env = {
    WHATSAPP_ACCESS_TOKEN: 'meta-token',
    WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
    WHATSAPP_BASE_URL: `${vendor.url}/v23.0`,
  };
  return { vendor, channel: open('whatsapp', 'whatsapp-cloud', env) };
};
const sendgrid = async () => {
  const vendor = await startSendGrid();
  const env = {
    SENDGRID_API_KEY: 'SG.key',
    SENDGRID_FROM: 'from_address@example.com',
    SENDGRID_BASE_URL: vendor.url,
  };
  return { vendor, channel: open('email', 'sendgrid', env) };
};
const fcm = async (now?: () => number) => {
  const vendor = await startFcm();
  const env = { FCM_SERVICE_ACCOUNT: vendor.serviceAccount, FCM_BASE_URL: vendor.url };
  return { vendor, channel: open('push', 'fcm-v1', env, 10_000, now) };
};

const sms = (change: Partial<ChannelMessage> = {}) =>
  sampleMessage({ channel: 'sms', address: '+15558675310', text: 'Hi there', ...change });
const order = (change: Partial<ChannelMessage> = {}) =>
  sampleMessage({
    channel: 'whatsapp',
    address: '+1 650 555 1234',
    whatsapp: { name: 'order_confirmation', language: 'en_US', parameters: ['Jessica', 'SK-4711'] },
    ...change,
  });
const push = (change: Partial<ChannelMessage> = {}) =>
  sampleMessage({
    channel: 'push',
    address: 'device-token:1',
    push: { title: 'FCM Message', body: 'This is an FCM notification message!' },
    ...change,
  });
const mail = (change: Partial<ChannelMessage> = {}) =>
  sampleMessage({ address: 'john@example.com', subject: 'Hello, World!', text: 'Hello, World!', ...change });

describe('the request of each vendor is its documented example, byte by byte', () => {
  it('twilio-sms: curl --data-urlencode "To=…" "From=…" "Body=Hi there" -u SID:TOKEN', async () => {
    const { vendor, channel } = await twilio();
    expect(await channel.send(sms(), signal)).toEqual({
      outcome: 'accepted',
      messageId: `SM${'1'.padStart(32, '0')}`,
    });
    expect(vendor.requests[0]!.body).toBe('To=%2B15558675310&From=%2B15017122661&Body=Hi+there');
  });

  it('twilio-sms with receipts: the status callback names workspace and notification', async () => {
    const { vendor, channel } = await twilio({ SVC_PUBLIC_URL: 'https://svc.example.org/' });
    await channel.send(sms({ workspaceId: 'ws_1', notificationId: 'ntf_1' }), signal);
    expect(new URLSearchParams(vendor.requests[0]!.body).get('StatusCallback')).toBe(
      'https://svc.example.org/v1/inform/receipts/ws_1/twilio-sms?notificationId=ntf_1',
    );
    expect(channel.receiptsFrom).toBe('twilio-sms');
  });

  it('whatsapp-cloud: a template with parameters', async () => {
    const { vendor, channel } = await whatsapp();
    expect(await channel.send(order(), signal)).toEqual({ outcome: 'accepted', messageId: 'wamid.1' });
    expect(vendor.requests[0]!.body).toBe(
      '{"messaging_product":"whatsapp","recipient_type":"individual","to":"16505551234","type":"template",' +
        '"template":{"name":"order_confirmation","language":{"code":"en_US"},"components":[{"type":"body",' +
        '"parameters":[{"type":"text","text":"Jessica"},{"type":"text","text":"SK-4711"}]}]},' +
        '"biz_opaque_callback_data":"ntf_1"}',
    );
  });

  it('whatsapp-cloud: hello_world, which has no parameters', async () => {
    const { vendor, channel } = await whatsapp();
    await channel.send(
      order({ whatsapp: { name: 'hello_world', language: 'en_US', parameters: [] } }),
      signal,
    );
    expect(vendor.requests[0]!.body).toContain(
      '"template":{"name":"hello_world","language":{"code":"en_US"}}',
    );
  });

  it('whatsapp-cloud: a template without a mapping is refused without a call', async () => {
    const { vendor, channel } = await whatsapp();
    expect(await channel.send(order({ whatsapp: undefined }), signal)).toEqual({
      outcome: 'rejected',
      error: 'the provider needs whatsapp.name, which this notification does not have',
    });
    expect(vendor.requests).toEqual([]);
  });

  it('fcm-v1: a notification to a device, with a token that the service account got', async () => {
    const { vendor, channel } = await fcm();
    expect(await channel.send(push(), signal)).toEqual({
      outcome: 'accepted',
      messageId: 'projects/my-project-b5/messages/0:1',
    });
    expect(vendor.requests[0]!.body).toBe(
      '{"message":{"token":"device-token:1","notification":' +
        '{"body":"This is an FCM notification message!","title":"FCM Message"}}}',
    );
    await channel.send(push({ push: { body: 'b', data: { orderId: '1' } } }), signal);
    expect(JSON.parse(vendor.requests[1]!.body).message).toMatchObject({
      notification: { body: 'b' },
      data: { orderId: '1' },
    });
  });

  it('sendgrid: the minimal mail, and one with HTML', async () => {
    const { vendor, channel } = await sendgrid();
    expect(await channel.send(mail(), signal)).toEqual({ outcome: 'accepted', messageId: 'sg-1' });
    expect(vendor.requests[0]!.body.replace(',"custom_args":{"notificationId":"ntf_1"}', '')).toBe(
      '{"personalizations":[{"to":[{"email":"john@example.com"}],"subject":"Hello, World!"}],' +
        '"from":{"email":"from_address@example.com"},"content":[{"type":"text/plain","value":"Hello, World!"}]}',
    );
    await channel.send(mail({ html: '<p>Hi</p>' }), signal);
    expect(JSON.parse(vendor.requests[1]!.body).content[1]).toEqual({
      type: 'text/html',
      value: '<p>Hi</p>',
    });
  });
});

const twilioError = (status: number, code: number) =>
  json(status, { code, message: 'to +15558675310', more_info: 'https://www.twilio.com/docs/errors', status });
const graphError = (status: number, code: number) =>
  json(status, { error: { message: `(#${code})`, type: 'OAuthException', code } });

describe('an error of a vendor', () => {
  const cases: [
    string,
    () => Promise<{ vendor: Vendor; channel: ReturnType<typeof open> }>,
    ChannelMessage,
    Vendor['answers'][number],
    Partial<SendResult> & object,
  ][] = [
    [
      'twilio: STOP',
      twilio,
      sms(),
      twilioError(400, 21610),
      { outcome: 'rejected', address: { is: 'stopped' } },
    ],
    [
      'twilio: an invalid number',
      twilio,
      sms(),
      twilioError(400, 21211),
      { outcome: 'rejected', address: { is: 'dead' } },
    ],
    [
      'twilio: too many requests',
      twilio,
      sms(),
      { ...twilioError(429, 20429), headers: { 'retry-after': '7' } },
      { outcome: 'retryable', throttled: true, retryAfterMs: 7000 },
    ],
    ['twilio: a wrong token', twilio, sms(), twilioError(401, 20003), { outcome: 'retryable' }],
    ['twilio: 500', twilio, sms(), { status: 500 }, { outcome: 'ambiguous' }],
    ['whatsapp: not on WhatsApp', whatsapp, order(), graphError(400, 131026), { outcome: 'rejected' }],
    [
      'whatsapp: stopped marketing',
      whatsapp,
      order(),
      graphError(400, 131050),
      { outcome: 'rejected', address: { is: 'stopped', category: 'marketing' } },
    ],
    ['whatsapp: an unknown template', whatsapp, order(), graphError(404, 132001), { outcome: 'rejected' }],
    ['whatsapp: throughput', whatsapp, order(), graphError(400, 130429), { outcome: 'retryable' }],
    ['whatsapp: an expired token', whatsapp, order(), graphError(401, 190), { outcome: 'retryable' }],
    [
      'fcm: an unregistered token',
      fcm,
      push(),
      fcmError(404, 'UNREGISTERED', 'NOT_FOUND'),
      { outcome: 'rejected', address: { is: 'dead' } },
    ],
    ['fcm: an invalid argument', fcm, push(), fcmError(400, 'INVALID_ARGUMENT'), { outcome: 'rejected' }],
    [
      'fcm: quota',
      fcm,
      push(),
      { ...fcmError(429, 'QUOTA_EXCEEDED', 'RESOURCE_EXHAUSTED'), headers: { 'retry-after': '60' } },
      { outcome: 'retryable', throttled: true, retryAfterMs: 60_000 },
    ],
    ['fcm: overloaded', fcm, push(), fcmError(503, 'UNAVAILABLE'), { outcome: 'retryable' }],
    ['fcm: 500', fcm, push(), fcmError(500, 'INTERNAL'), { outcome: 'ambiguous' }],
    ['sendgrid: a wrong key', sendgrid, mail(), { status: 401 }, { outcome: 'retryable' }],
    [
      'sendgrid: a bad request',
      sendgrid,
      mail(),
      json(400, { errors: [{ message: 'bad', field: 'to' }] }),
      { outcome: 'rejected' },
    ],
    [
      'sendgrid: too many requests',
      sendgrid,
      mail(),
      { status: 429 },
      { outcome: 'retryable', throttled: true },
    ],
  ];

  it.each(cases)('%s', async (_, start, message, answer, expected) => {
    const { vendor, channel } = await start();
    vendor.answers.push(answer);
    const result = await channel.send(message, signal);
    expect(result).toMatchObject(expected);
    // The vendor's text may quote the address.
    expect(JSON.stringify(result)).not.toContain(message.address);
    await channel.close();
  });

  it('that does not come in time leaves the outcome unknown', async () => {
    const { vendor, channel } = await twilio({}, 300);
    vendor.answers.push('hang');
    expect(await channel.send(sms(), signal)).toMatchObject({ outcome: 'ambiguous' });
  });
});

describe('a token endpoint', () => {
  it('is asked once for many messages, and again shortly before the token expires', async () => {
    let now = Date.now();
    const { vendor, channel } = await fcm(() => now);
    await Promise.all([1, 2, 3].map(() => channel.send(push(), signal)));
    expect(vendor.tokenRequests.length).toBe(1);
    now += 3_541_000;
    await channel.send(push(), signal);
    expect(vendor.tokenRequests.length).toBe(2);
    expect(vendor.requests.map(({ headers }) => headers.authorization).at(-1)).toBe('Bearer ya29.2');
  });

  it('is asked for another token when one is refused, and then the message is sent once', async () => {
    const { vendor, channel } = await fcm();
    await channel.send(push(), signal);
    vendor.answers.push(fcmError(401, 'UNAUTHENTICATED'));
    expect(await channel.send(push(), signal)).toMatchObject({ outcome: 'accepted' });
    expect(vendor.tokenRequests.length).toBe(2);
    // A service account that is refused in spite of a new token is not asked for a third one.
    vendor.answers.push(fcmError(401, 'UNAUTHENTICATED'), fcmError(401, 'UNAUTHENTICATED'));
    expect(await channel.send(push(), signal)).toMatchObject({ outcome: 'retryable' });
    expect(vendor.tokenRequests.length).toBe(3);
  });

  it.each([
    [
      { status: 429, headers: { 'retry-after': '3' } },
      { throttled: true, retryAfterMs: 3000 },
    ],
    [{ status: 500 }, { error: 'the token endpoint answered 500' }],
    [{ status: 400, body: '{"error":"invalid_grant"}' }, { error: 'the token endpoint answered 400' }],
    [{ status: 200, body: 'no JSON' }, { error: 'the token endpoint answered without a token' }],
    [
      { status: 200, body: '{"access_token":"a\\nb"}' },
      { error: 'the token endpoint answered without a token' },
    ],
  ])('that answers %j delays the message, which is not sent', async (answer, expected) => {
    const { vendor, channel } = await fcm();
    vendor.tokenAnswers.push(answer);
    expect(await channel.send(push(), signal)).toMatchObject({ outcome: 'retryable', ...expected });
    expect(vendor.requests).toEqual([]);
    expect(await channel.send(push(), signal)).toMatchObject({ outcome: 'accepted' });
  });
});
