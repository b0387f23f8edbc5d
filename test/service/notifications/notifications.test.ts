import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMailServer } from '../../support/peers/mail-server.ts';
import { type Answer, startReceiver } from '../../support/peers/receiver.ts';
import { contentsOf } from '../../support/postgres/database.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

async function json(response: Promise<Response>, status: number) {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return JSON.parse(text);
}

async function receiver(answer?: Answer) {
  const started = await startReceiver(answer);
  onTestFinished(() => started.close());
  return started;
}

async function knownUser(service: TestService, more: Record<string, unknown> = {}): Promise<string> {
  const users = [
    {
      userId: 'u1',
      name: 'Ada Lovelace',
      phone: '+441234567890',
      traits: { email: 'ada@example.com' },
      ...more,
    },
  ];
  return (await json(service.fetch('/v1/users', { body: { users } }), 200)).users[0].hashId;
}

const order = (hashId: string, more: Record<string, unknown> = {}) => ({
  hashId,
  templateId: 'order_update',
  channel: 'whatsapp',
  variables: { orderId: 'A-1' },
  priority: 'transactional',
  ...more,
});

const trigger = async (service: TestService, body: unknown): Promise<string> =>
  (await json(service.fetch('/v1/inform/trigger', { body }), 202)).notificationId;

async function ended(service: TestService, id: string) {
  for (;;) {
    const record = await json(service.fetch(`/v1/inform/notifications/${id}`), 200);
    if (record.status === 'delivered' || record.status === 'failed') return record;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const outboxOf = (service: TestService) =>
  readFileSync(`${service.files}.outbox.ndjson`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const statuses = (record: { history: { status: string }[] }) => record.history.map(({ status }) => status);

describe('a notification', () => {
  it('goes from queued through dispatched to delivered, into the outbox file by default', async () => {
    const service = await startTestService();
    const hashId = await knownUser(service);
    const answer = await json(service.fetch('/v1/inform/trigger', { body: order(hashId) }), 202);
    expect(answer).toEqual({
      notificationId: expect.stringMatching(/^ntf_/),
      status: 'queued',
      requestId: expect.any(String),
    });
    const record = await ended(service, answer.notificationId);
    expect(record).toEqual({
      notificationId: answer.notificationId,
      hashId,
      templateId: 'order_update',
      channel: 'whatsapp',
      priority: 'transactional',
      status: 'delivered',
      sentBy: 'outbox',
      history: [
        { status: 'queued', at: expect.any(String) },
        { status: 'dispatched', at: expect.any(String) },
        { status: 'delivered', at: expect.any(String), reason: 'written to the outbox: test workspace' },
      ],
    });
    expect(outboxOf(service)).toEqual([
      expect.objectContaining({
        notificationId: answer.notificationId,
        channel: 'whatsapp',
        subject: 'Your order A-1',
        text: 'Hello A•••, there is news of your order A-1.',
        to: { phone: '•••90', email: 'a•••@•••' },
      }),
    ]);
  });

  it('is rejected for an unknown user or template, an unsupported channel, or a missing variable', async () => {
    const catalog = join(tempDir(), 'catalog.json');
    const templates = [
      { templateId: 'order_update', body: '{{orderId}} {{when}} {{user.name}}' },
      { templateId: 'only_mail', channels: ['email'], body: 'Hi' },
    ];
    writeFileSync(catalog, JSON.stringify({ contents: [], templates }));
    const service = await startTestService({ catalog });
    const hashId = await knownUser(service);
    const refused = (body: unknown, status: number) =>
      json(service.fetch('/v1/inform/trigger', { body }), status);
    expect(await refused(order('0'.repeat(64)), 404)).toMatchObject({ error: 'not_found' });
    expect(await refused(order(hashId, { templateId: 'nope' }), 404)).toMatchObject({ error: 'not_found' });
    expect(await refused(order(hashId, { templateId: 'only_mail' }), 400)).toMatchObject({
      details: [{ field: 'channel' }],
    });
    expect(await refused(order(hashId, { variables: {} }), 400)).toMatchObject({
      details: [
        { field: 'variables.orderId', message: 'is missing' },
        { field: 'variables.when', message: 'is missing' },
      ],
    });
    expect(await refused(order(hashId, { channel: 'pigeon' }), 400)).toMatchObject({
      details: [{ field: 'channel' }],
    });
    await json(service.fetch('/v1/inform/notifications/ntf_x'), 404);
    await json(service.fetch('/v1/inform/notifications/ntf_x/outcomes', { body: { type: 'opened' } }), 404);
  });

  it('never returns a personal field, and stores none in plain text', async () => {
    const service = await startTestService();
    const hashId = await knownUser(service);
    const id = await trigger(service, order(hashId, { variables: { orderId: 'SECRET-ORDER' } }));
    const record = await ended(service, id);
    expect(JSON.stringify(record)).not.toMatch(/Lovelace|1234567890|ada@|SECRET-ORDER/);
    const stored = await contentsOf(service.database);
    expect(stored).toContain(hashId);
    expect(stored).not.toMatch(/Lovelace|1234567890|ada@example|SECRET-ORDER/);
  });

  it('fails if the user lacks a value for the template, without personal data in the reason', async () => {
    const catalog = join(tempDir(), 'catalog.json');
    const templates = [{ templateId: 'order_update', body: '{{user.accountNumber}} {{orderId}}' }];
    writeFileSync(catalog, JSON.stringify({ contents: [], templates }));
    const service = await startTestService({ catalog });
    const record = await ended(service, await trigger(service, order(await knownUser(service))));
    expect(statuses(record)).toEqual(['queued', 'dispatched', 'failed']);
    expect(record.failure).toBe('the user or the trigger lacks values for the template: user.accountNumber');
  });

  it('is created once per idempotency key', async () => {
    const service = await startTestService();
    const hashId = await knownUser(service);
    const request = { body: order(hashId), headers: { 'idempotency-key': 'k1' } };
    const first = await json(service.fetch('/v1/inform/trigger', request), 202);
    expect(await json(service.fetch('/v1/inform/trigger', request), 202)).toEqual(first);
    await ended(service, first.notificationId);
    expect(outboxOf(service).length).toBe(1);
  });

  it('counts as a contact of the day', async () => {
    const service = await startTestService();
    const hashId = await knownUser(service);
    await trigger(service, order(hashId));
    const body = { hashId, guardrails: { maxDailyContacts: 1 } };
    const decision = await json(service.fetch('/v1/decisioning/decide', { body }), 200);
    expect(decision.action.type).toBe('none');
    expect(decision.action.reason).toMatch(/maxDailyContacts/);
  });

  it('notifies subscribers of a tap, once per type', async () => {
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const target = await receiver();
    const events = ['campaign.opened', 'campaign.clicked'];
    const body = { url: target.url, events, signingSecret: 'a secret of the tests' };
    await json(service.fetch('/v1/webhooks', { body }), 201);
    const hashId = await knownUser(service);
    const id = await trigger(service, order(hashId));
    for (const type of ['opened', 'opened', 'clicked'])
      await json(service.fetch(`/v1/inform/notifications/${id}/outcomes`, { body: { type } }), 202);
    const got = (await target.waitFor(2)).map((each) => JSON.parse(each.body.toString()));
    expect(got.map(({ type }) => type).sort()).toEqual(['campaign.clicked', 'campaign.opened']);
    expect(got[0]).toEqual({
      type: expect.any(String),
      decisionId: '',
      contentId: 'order_update',
      hashId,
      notificationId: id,
      deliveryId: expect.stringMatching(/^dlv_/),
      occurredAt: expect.any(String),
    });
  });
});

it('the service is idle only if nothing is due, claimed or in progress', async () => {
  const service = await startTestService();
  const hashId = await knownUser(service);
  for (let i = 0; i < 50; i += 1) {
    const id = await trigger(service, order(hashId));
    while (!(await service.idle())) await new Promise((resolve) => setImmediate(resolve));
    const { status } = await json(service.fetch(`/v1/inform/notifications/${id}`), 200);
    expect(status).toBe('delivered');
  }
});

describe('a channel', () => {
  const secret = 'the secret of the provider';
  const outboxFile = () => join(tempDir(), 'outbox.ndjson');
  const overSms = async (answer: Answer, idempotent = false) => {
    const provider = await receiver(answer);
    const service = await startTestService({
      channels: { outboxFile: outboxFile(), providers: { sms: { url: provider.url, secret, idempotent } } },
    });
    const hashId = await knownUser(service);
    return { provider, service, id: await trigger(service, order(hashId, { channel: 'sms' })) };
  };

  it('e-mail is sent by SMTP, with personal fields in plain text', async () => {
    const mail = await startMailServer();
    onTestFinished(() => mail.close());
    const service = await startTestService({
      channels: {
        outboxFile: outboxFile(),
        smtp: { url: mail.url, from: 'shop@example.org' },
        providers: {},
      },
    });
    const id = await trigger(service, order(await knownUser(service), { channel: 'email' }));
    expect((await ended(service, id)).status).toBe('delivered');
    expect(mail.messages).toEqual([
      expect.stringContaining('Hello Ada Lovelace, there is news of your order A-1.'),
    ]);
  });

  it('a busy provider gets a retry', async () => {
    const { provider, service, id } = await overSms((response) =>
      response.writeHead(provider.received.length === 1 ? 429 : 200).end(),
    );
    const record = await ended(service, id);
    expect(statuses(record)).toEqual(['queued', 'dispatched', 'delivered']);
    expect(provider.received.length).toBe(2);
    expect(provider.received[0]!.headers['idempotency-key']).toBe(id);
  });

  it('a provider whose answer was lost gets no retry, so that no user is messaged twice', async () => {
    const { provider, service, id } = await overSms((_response, _got, request) => request.socket.destroy());
    const record = await ended(service, id);
    expect(record.status).toBe('failed');
    expect(record.failure).toMatch(/whether it was sent is not known/);
    await service.close();
    expect(provider.received.length).toBe(1);
  });

  it('a provider that ignores duplicates gets a retry with the same key', async () => {
    const { provider, service, id } = await overSms((response, _got, request) => {
      if (provider.received.length === 1) request.socket.destroy();
      else response.writeHead(200).end();
    }, true);
    expect((await ended(service, id)).status).toBe('delivered');
    expect(provider.received.map(({ headers }) => headers['idempotency-key'])).toEqual([id, id]);
  });

  it('a refusal by a provider fails the notification', async () => {
    const { service, id } = await overSms((response) => response.writeHead(422).end('no'));
    expect(await ended(service, id)).toMatchObject({
      status: 'failed',
      failure: 'the provider answered 422',
    });
  });

  it('that hangs does not delay other channels', async () => {
    const { service } = await overSms(() => {});
    const hashId = await knownUser(service);
    const stuck = await Promise.all(
      [...Array(20)].map(() => trigger(service, order(hashId, { channel: 'sms' }))),
    );
    expect((await ended(service, await trigger(service, order(hashId)))).status).toBe('delivered');
    const record = await json(service.fetch(`/v1/inform/notifications/${stuck.at(-1)}`), 200);
    expect(record.status).toBe('queued');
  });
});
