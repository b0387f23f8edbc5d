import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../../support/peers/mail-server.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

async function json(response: Promise<Response>, status = 200) {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return JSON.parse(text);
}

/** The headers of a message, unfolded. */
const headersOf = (message: string) => message.split(/\r?\n\r?\n/)[0]!.replace(/\r?\n[ \t]+/g, ' ');

test('a marketing e-mail unsubscribes with one click, and never by a GET', async () => {
  const mail = await startMailServer();
  onTestFinished(() => mail.close());
  const catalog = join(tempDir(), 'catalog.json');
  const email = { subject: 'S', text: 'T', html: '<b>{{user.name}}</b>' };
  const templates = [
    { templateId: 'news', category: 'news', channels: ['email'], email },
    { templateId: 'receipt', priority: 'transactional', body: 'Paid' },
  ];
  writeFileSync(catalog, JSON.stringify({ contents: [], templates }));
  const service = await startTestService({
    allowLoopbackWebhooks: true,
    catalog,
    channels: {
      outboxFile: join(tempDir(), 'outbox.ndjson'),
      smtp: { url: mail.url, from: 'shop@example.org' },
      providers: {},
    },
    environment: { SVC_PUBLIC_URL: 'https://notify.example.org/' },
  });
  const body = { users: [{ userId: 'u', name: 'A & B', emails: ['ada@example.com'] }] };
  const { users } = await json(service.fetch('/v1/users', { body }));
  const { hashId } = users[0];
  const send = async (templateId: string) => {
    const sent = { hashId, templateId, channel: 'email' };
    const { notificationId } = await json(service.fetch('/v1/inform/trigger', { body: sent }), 202);
    for (;;) {
      const record = await json(service.fetch(`/v1/inform/notifications/${notificationId}`));
      if (record.status === 'delivered' || record.status === 'failed') return record;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const consent = async () => (await json(service.fetch(`/v1/users/${hashId}`))).optOut;

  expect((await send('receipt')).status).toBe('delivered');
  expect(headersOf(mail.messages[0]!)).not.toMatch(/List-Unsubscribe/i);
  expect((await send('news')).status).toBe('delivered');
  const headers = headersOf(mail.messages[1]!);
  expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
  expect(mail.messages[1]).toContain('<b>A &amp; B</b>');
  const [, path] =
    /^List-Unsubscribe: <https:\/\/notify\.example\.org(\/v1\/inform\/unsubscribe\/[\w-]+)>$/m.exec(headers)!;
  expect(path).not.toContain(hashId);

  // As a mail program calls it: without a key.
  const call = (url: string, form?: string) =>
    fetch(service.url + url, {
      method: form === undefined ? 'GET' : 'POST',
      ...(form === undefined ? {} : { body: form }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const page = await call(path!);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('<form method="post">');
  expect((await call(path!, 'something=else')).status).toBe(400);
  const at = path!.length - 5;
  const tampered = path!.slice(0, at) + (path![at] === 'A' ? 'B' : 'A') + path!.slice(at + 1);
  expect((await call(tampered, 'List-Unsubscribe=One-Click')).status).toBe(404);
  expect((await call(`${path}A`.repeat(20), 'List-Unsubscribe=One-Click')).status).toBe(404);
  expect((await fetch(service.url + path, { method: 'PUT' })).status).toBe(405);
  expect(await consent()).toEqual([]);
  const told = await startReceiver();
  onTestFinished(() => told.close());
  const events = ['notification.opted_out'];
  await json(
    service.fetch('/v1/webhooks', { body: { url: told.url, events, signingSecret: 'of this test only' } }),
    201,
  );
  // Twice: a second click says nothing new.
  for (let click = 0; click < 2; click++)
    expect((await call(path!, 'List-Unsubscribe=One-Click')).status).toBe(200);
  expect(await consent()).toEqual(['email/news']);

  // RFC 8058, section 3.2: it should be multipart/form-data.
  expect(
    (await service.fetch(`/v1/users/${hashId}/consent`, { body: { optIn: ['email/news'] } })).status,
  ).toBe(200);
  const post = (body: FormData | string, type?: string) =>
    fetch(service.url + path, {
      method: 'POST',
      body,
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    });
  const form = (value: string) => {
    const data = new FormData();
    data.set('List-Unsubscribe', value);
    return data;
  };
  expect((await post(form('Other'))).status).toBe(400);
  expect((await post('--x\r\nbroken', 'multipart/form-data; boundary=x')).status).toBe(400);
  expect((await post('List-Unsubscribe=One-Click', 'multipart/form-data')).status).toBe(400);
  const { message } = await json(post(form('x'.repeat(5000))), 413);
  expect(message).toBe('The body is larger than 4 KiB.');
  expect(await consent()).toEqual([]);
  expect((await post(form('One-Click'))).status).toBe(200);
  expect(await consent()).toEqual(['email/news']);
  expect(await send('news')).toMatchObject({ status: 'failed', failure: 'opted_out' });
  expect(mail.messages.length).toBe(2);
  // The second opt-out, after the user had opted in again.
  await told.waitFor(2);
  await expect.poll(() => service.idle()).toBe(true);
  const optedOut = {
    type: events[0],
    decisionId: '',
    contentId: '',
    hashId,
    channel: 'email',
    category: 'news',
  };
  const bodies = told.received.map((delivery) => JSON.parse(delivery.body.toString()));
  expect(bodies.map(({ deliveryId: _, occurredAt: __, ...rest }) => rest)).toEqual([optedOut, optedOut]);
});
