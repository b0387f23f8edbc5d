import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remoteBackend } from '../../../src/features/console-server/backend.ts';
import { httpClient } from '../../support/console/remote-client.ts';
import { startTestConsole } from '../../support/console/test-console.ts';
import { startTestService } from '../../support/process/service.ts';

/** A service that answers each path with a fixed status and body, and counts what it was asked. */
async function fakeService(answers: Record<string, [status: number, body: string]>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const [status, body] = answers[request.url!.split('?')[0]!] ?? [404, ''];
    const type = body.startsWith('event:') ? 'text/event-stream' : 'application/json';
    response.writeHead(status, { 'content-type': type, 'set-cookie': 'a=b', server: 'x' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const notification = {
  notificationId: 'ntf_1',
  hashId: 'h',
  templateId: 't',
  channel: 'email',
  priority: 'transactional',
  status: 'failed',
  history: [],
  failure: '550 no such user ada@example.com',
};

describe('what the console passes on', () => {
  it('counts nothing against the limits of the service in its process', async () => {
    const service = await startTestService({ limits: { reads: 1 } });
    const page = await startTestConsole(service);
    for (let i = 0; i < 5; i++) expect((await page.ask('GET', '/api/v1/decisions')).status).toBe(200);
    const { groups } = JSON.parse((await page.ask('GET', '/console/limits')).text);
    expect(groups.find((one: { group: string }) => one.group === 'reads')).toMatchObject({
      used: 0,
      limit: 1,
    });
    expect((await service.fetch('/v1/webhooks')).status).toBe(200);
    expect((await service.fetch('/v1/webhooks')).status).toBe(429);
    const after = JSON.parse((await page.ask('GET', '/console/limits')).text);
    const reads = after.groups.find((one: { group: string }) => one.group === 'reads');
    expect(reads).toMatchObject({ used: 1, remaining: 0 });
    expect(reads.buckets.reduce((sum: number, n: number) => sum + n, 0)).toBe(1);
    expect(Date.parse(reads.nextFreeAt)).toBeGreaterThan(Date.now());
  });

  it('ends a stream whose service dies as any other stream, and logs no failure', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: ready\ndata: {"type":"ready","next":"7"}\n\n', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const lines: unknown[] = [];
    const client = httpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const page = await startTestConsole(await startTestService(), {
      backend: remoteBackend(client),
      log: (...line) => lines.push(line),
    });
    const { status, text } = await page.ask('GET', '/api/v1/events/watch');
    expect([status, text]).toEqual([200, 'event: ready\ndata: {"type":"ready","next":"7"}\n\n']);
    expect(lines).toEqual([]);
  });

  it('lets the page enable a subscription, and change nothing else of it', async () => {
    const service = await startTestService();
    const page = await startTestConsole(service);
    const made = await service.fetch('/v1/webhooks', {
      body: { url: 'https://example.com/', events: ['campaign.opened'], signingSecret: 'a secret of a test' },
    });
    const { id } = (await made.json()) as { id: string };
    const change = (body: unknown) => page.ask('PATCH', `/api/v1/webhooks/${id}`, { body });
    for (const body of [
      { url: 'https://evil.example/' },
      { status: 'active', headers: { authorization: 'x' } },
      { from: 'now', __proto__: null, filter: '' },
      ['status'],
    ])
      expect((await change(body)).status).toBe(403);
    expect(JSON.parse((await change({ status: 'disabled' })).text)).toMatchObject({ status: 'disabled' });
    const enabled = await change({ status: 'active', from: 'disabled' });
    expect(JSON.parse(enabled.text)).toMatchObject({ status: 'active', url: 'https://example.com/' });
    expect((await change({ status: 'lost' })).status).toBe(400);
  });

  it('gives only what the contract describes, without secrets, personal texts and headers of the service', async () => {
    const remote = await fakeService({
      '/v1/inform/notifications/ntf_1': [
        200,
        JSON.stringify({
          ...notification,
          variables: { order: 'canary' },
          phone: '+4915112345678',
          x: 'canary',
        }),
      ],
      '/v1/webhooks/w': [
        200,
        JSON.stringify({
          id: 'w',
          url: 'https://user:canary@example.com/hook?token=canary',
          events: ['campaign.opened'],
          status: 'active',
          createdAt: '2026-01-01T00:00:00Z',
          signingSecret: 'canary',
        }),
      ],
    });
    const service = await startTestService();
    const page = await startTestConsole(service, { backend: remoteBackend(httpClient(remote.url)) });
    const shown = await page.ask('GET', '/api/v1/inform/notifications/ntf_1');
    expect(shown.status).toBe(200);
    expect(JSON.parse(shown.text)).toEqual({ ...notification, failure: '***' });
    expect(shown.headers).not.toHaveProperty('set-cookie');
    expect(shown.headers).not.toHaveProperty('server');
    const webhook = await page.ask('GET', '/api/v1/webhooks/w');
    expect(webhook.text).not.toContain('canary');
    expect(JSON.parse(webhook.text).url).toBe('https://user:***@example.com/hook?token=***');
  });

  it('masks names that look personal in a timeline and in events', async () => {
    const at = '2026-01-01T00:00:00Z';
    const event = { type: 'event', id: '1', receivedAt: at, timestamp: at, userId: 'canary@example.com' };
    const remote = await fakeService({
      '/v1/users/h/timeline': [
        200,
        JSON.stringify({
          items: [
            { kind: 'event', at, id: '1', event: 'canary@example.com' },
            { kind: 'decision', at, id: 'dec_1', context: { 'canary@example.com': 'x', surface: 'home' } },
          ],
        }),
      ],
      '/v1/events/watch': [200, `event: event\ndata: ${JSON.stringify({ ...event, event: 'tapped' })}\n\n`],
    });
    const service = await startTestService();
    const page = await startTestConsole(service, { backend: remoteBackend(httpClient(remote.url)) });
    const timeline = await page.ask('GET', '/api/v1/users/h/timeline');
    expect(timeline.status).toBe(200);
    expect(JSON.parse(timeline.text).items).toMatchObject([
      { event: '***' },
      { context: { '***': '***', surface: 'home' } },
    ]);
    const { text } = await page.ask('GET', '/api/v1/events/watch');
    expect(text).toContain('"userId":"***"');
    expect(text).toContain('"event":"tapped"');
    expect(timeline.text + text).not.toContain('canary');
  });

  it('shows the text of a message as the catalog has it, also with a number to call', async () => {
    const message = {
      ...{ decisionId: 'dec_1', contentId: 'hotline', format: 'card', title: 'Call us' },
      ...{ body: 'Dial +44 20 7946 0958.', channel: null, surface: null, servedAt: null },
      createdAt: '2026-01-01T00:00:00Z',
    };
    const remote = await fakeService({
      '/v1/users/h/messages': [200, JSON.stringify({ messages: [message] })],
    });
    const service = await startTestService();
    const page = await startTestConsole(service, { backend: remoteBackend(httpClient(remote.url)) });
    const { text } = await page.ask('GET', '/api/v1/users/h/messages');
    expect(JSON.parse(text).messages).toMatchObject([{ body: message.body, title: message.title }]);
  });

  it('says what a service does not offer, and refuses answers that it does not know', async () => {
    const error = (name: string, message: string) => JSON.stringify({ error: name, message, requestId: 'r' });
    const remote = await fakeService({
      '/v1/webhooks': [404, error('not_found', 'There is nothing at this address.')],
      '/v1/decisions': [501, ''],
      '/v1/decisions/dec_1': [404, error('not_found', 'No decision has this identifier.')],
      '/v1/inform/notifications': [200, '{"notifications": 1}'],
      '/v1/deliveries': [200, '<html>'],
      '/v1/users/h': [401, error('unauthorized', 'The API key is missing or not known.')],
      '/v1/webhooks/w/deliveries': [302, ''],
    });
    const service = await startTestService();
    const page = await startTestConsole(service, { backend: remoteBackend(httpClient(remote.url)) });
    const answerTo = async (path: string) => {
      const { status, text } = await page.ask('GET', path);
      return [status, JSON.parse(text).error];
    };
    expect(await answerTo('/api/v1/webhooks')).toEqual([501, 'not_offered']);
    expect(await answerTo('/api/v1/decisions')).toEqual([501, 'not_offered']);
    expect(await answerTo('/api/v1/decisions/dec_1')).toEqual([404, 'not_found']);
    expect(await answerTo('/api/v1/inform/notifications')).toEqual([502, 'unexpected_answer']);
    expect(await answerTo('/api/v1/deliveries')).toEqual([502, 'unexpected_answer']);
    expect(await answerTo('/api/v1/users/h')).toEqual([502, 'key_refused']);
    expect(await answerTo('/api/v1/webhooks/w/deliveries')).toEqual([502, 'unexpected_answer']);
  });

  it('says that a service cannot be reached', async () => {
    const service = await startTestService();
    const gone = await fakeService({});
    const page = await startTestConsole(service, {
      backend: remoteBackend(httpClient(gone.url.replace(/:\d+$/, ':1'))),
    });
    const { status, text } = await page.ask('GET', '/api/v1/webhooks');
    expect([status, JSON.parse(text).error]).toEqual([502, 'unreachable']);
  });
});
