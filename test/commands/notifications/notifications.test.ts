import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

async function knownUser(service: TestService, userId = 'u1'): Promise<string> {
  const answer = await service.fetch('/v1/users', {
    body: {
      users: [{ userId, name: 'Ada', phone: '+441632960017', devices: [{ channel: 'push', token: userId }] }],
    },
  });
  return ((await answer.json()) as { users: { hashId: string }[] }).users[0]!.hashId;
}

const notify = (hashId: string, ...more: string[]) => notifyOn('whatsapp', hashId, ...more);
const notifyOn = (channel: string, hashId: string, ...more: string[]) => [
  'notifications',
  'trigger',
  '--hash-id',
  hashId,
  '--template',
  'order_update',
  '--channel',
  channel,
  '--var',
  'orderId=A-1',
  ...more,
];

describe('svc notifications', () => {
  it('triggers, waits, shows, watches and reports a tap', async () => {
    const service = await startTestService();
    const { env } = service;
    const hashId = await knownUser(service);
    const queued = await runSvc(notify(hashId, '--json'), { env });
    expect(queued.code, queued.stderr).toBe(0);
    expect(JSON.parse(queued.stdout)).toMatchObject({ status: 'queued' });
    const waited = await runSvc(['notify', ...notify(hashId, '--wait', '--json').slice(2)], { env });
    expect(waited.code, waited.stderr).toBe(0);
    const record = JSON.parse(waited.stdout);
    expect(record).toMatchObject({ hashId, status: 'delivered', priority: 'transactional' });
    const got = await runSvc(['notifications', 'get', record.notificationId, '--json'], { env });
    expect(JSON.parse(got.stdout)).toEqual(record);
    const watched = await runSvc(['notifications', 'watch', record.notificationId, '--json'], { env });
    expect(watched.code).toBe(0);
    expect(
      watched.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual(['queued', 'dispatched', 'delivered']);
    const tapped = await runSvc(['notifications', 'outcome', record.notificationId, 'clicked'], { env });
    expect(tapped).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^recorded clicked of ntf_\w+\n$/),
    });
    const shown = await runSvc(['notifications', 'get', record.notificationId], { env });
    expect(shown.stdout).toMatch(/template +order_update/);
  });

  it('shows until when a notification is held', async () => {
    const record = { notificationId: 'ntf_1', status: 'held', heldUntil: '2026-01-02T08:00:00.000Z' };
    const history = [{ status: 'held', at: '2026-01-01T22:00:00.000Z', reason: 'quiet_hours' }];
    const { env } = await cannedService(() => ({ body: JSON.stringify({ ...record, history }) }));
    const shown = await runSvc(['notifications', 'get', 'ntf_1'], { env });
    expect(shown.stdout).toMatch(/^held until +2026-01-02T08:00:00\.000Z$/m);
  });

  it('refuses apparent personal data before sending, unless it is allowed', async () => {
    const service = await startTestService();
    const hashId = await knownUser(service);
    for (const [variable, kind] of [
      ['orderId=ada@example.com', 'an e-mail address'],
      ['orderId=+4915112345678', 'a phone number'],
      ['orderId=4111 1111 1111 1111', 'a card number'],
      ['orderId=DE89370400440532013000', 'an account number'],
      ['phone=x', 'a phone number'],
    ]) {
      const { code, stdout, stderr } = await runSvc(notify(hashId, '--var', variable!, '--json'), {
        env: { ...service.env, SVC_BASE_URL: 'http://127.0.0.1:1' },
      });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(JSON.parse(stderr).error).toMatchObject({ code: 'personal_data', exitCode: 2 });
      expect(stderr).toContain(kind);
      expect(stderr).not.toContain(variable!.split('=')[1] === 'x' ? '=x' : variable!.split('=')[1]!);
      const allowed = await runSvc(notify(hashId, '--var', variable!, '--allow-personal-data'), {
        env: service.env,
      });
      expect(allowed.code, allowed.stderr).toBe(0);
    }
    expect((await runSvc(notify('ada@example.com'), { env: service.env })).code).toBe(2);
  });

  it('accepts requests from a file, and prints one line for each, in order', async () => {
    const service = await startTestService();
    const [one, two] = [await knownUser(service, 'u1'), await knownUser(service, 'u2')];
    const lines = [
      one,
      JSON.stringify({ hashId: two, channel: 'sms', variables: { orderId: 'B-2' } }),
      'f'.repeat(64),
      '{"hashId": ',
      JSON.stringify({ hashId: one, variables: { email: 'ada@example.com' } }),
    ];
    const argv = [
      'notify',
      '--input',
      '-',
      '-t',
      'order_update',
      '-c',
      'push',
      '--var',
      'orderId=A-1',
      '--wait',
    ];
    const { code, stdout } = await runSvc(argv, { env: service.env, stdin: `${lines.join('\n')}\n` });
    expect(code).toBe(7);
    const out = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(out.map(({ request }) => request?.hashId ?? null)).toEqual([one, two, 'f'.repeat(64), null, null]);
    expect(out.map(({ response }) => response?.channel ?? null)).toEqual(['push', 'sms', null, null, null]);
    expect(out.map(({ error }) => error?.code ?? null)).toEqual([
      null,
      null,
      'not_found',
      'usage',
      'personal_data',
    ]);
  });

  it('exits with 5 if a notification failed, and with 6 after the timeout', async () => {
    const provider = await startReceiver((response, got) => {
      if (JSON.parse(got.body.toString()).text.includes('A-1')) response.writeHead(422).end();
    });
    onTestFinished(() => provider.close());
    const service = await startTestService({
      channels: {
        outboxFile: join(tempDir(), 'outbox'),
        providers: { sms: { url: provider.url, secret: 'the provider secret', idempotent: false } },
      },
    });
    const hashId = await knownUser(service);
    const { env } = service;
    const failed = await runSvc(notifyOn('sms', hashId, '--wait', '--json'), { env });
    expect(failed.code).toBe(5);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      status: 'failed',
      failure: 'the provider answered 422',
    });
    expect(JSON.parse(failed.stderr).error).toMatchObject({ code: 'failed', exitCode: 5 });
    const late = await runSvc(
      notifyOn('sms', hashId, '--var', 'orderId=B-2', '--wait', '--wait-timeout', '300ms', '--json'),
      { env },
    );
    expect(late.code).toBe(6);
    expect(JSON.parse(late.stdout).status).toBe('dispatched');
    expect(JSON.parse(late.stderr).error).toMatchObject({ code: 'timeout' });
  });

  it('is delivered on local before the command exits', async () => {
    const home = tempDir();
    const service = await startTestService({ database: join(home, 'data', 'service.db') });
    const hashId = await knownUser(service);
    await service.close();
    const { code, stderr } = await runSvc(notify(hashId, '-p', 'local'), { home });
    expect(code, stderr).toBe(0);
    const outbox = readFileSync(join(home, 'data', 'service.db.outbox.ndjson'), 'utf8');
    expect(outbox.trimEnd().split('\n').length).toBe(1);
    expect(outbox).not.toContain('Lovelace');
  });
});

/** A proxy that loses the answer to the first trigger: the service has it, the client hears nothing. */
async function losingProxy(target: string, lose: (response: ServerResponse) => void) {
  let triggers = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const body = await answer.text();
    if (request.url === '/v1/inform/trigger') {
      triggers += 1;
      if (triggers === 1) return lose(response);
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, triggers: () => triggers };
}

describe('a trigger whose answer is lost', () => {
  const ways: [string, (response: ServerResponse) => void][] = [
    ['a reset', (response) => response.socket!.destroy()],
    ['a 502', (response) => response.writeHead(502).end('bad gateway')],
    ['silence', () => {}],
  ];
  const sent = (service: TestService) =>
    readFileSync(`${service.database}.outbox.ndjson`, 'utf8').trimEnd().split('\n').length;

  it.each(ways)('by %s is retried on an idempotent service: sent once', async (_way, lose) => {
    const service = await startTestService();
    const hashId = await knownUser(service);
    const proxy = await losingProxy(service.url, lose);
    const home = tempDir();
    const profile = [
      '--workspace',
      service.workspace,
      '--base-url',
      proxy.url,
      '--idempotent',
      '--api-key-stdin',
    ];
    await runSvc(['profiles', 'add', 'mine', ...profile], { home, stdin: service.apiKey });
    const { code, stdout, stderr } = await runSvc(notify(hashId, '--wait', '--json', '--timeout', '1'), {
      home,
    });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).status).toBe('delivered');
    expect(proxy.triggers()).toBe(2);
    expect(sent(service)).toBe(1);
  });

  it.each(ways)(
    'by %s is not retried on other services: exit 6, with the ambiguous outcome',
    async (_way, lose) => {
      const service = await startTestService();
      const hashId = await knownUser(service);
      const proxy = await losingProxy(service.url, lose);
      const env = { ...service.env, SVC_BASE_URL: proxy.url };
      const { code, stdout, stderr } = await runSvc(notify(hashId, '--wait', '--json', '--timeout', '1'), {
        env,
      });
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!);
      expect(error).toMatchObject({ code: 'in_doubt', exitCode: 6 });
      expect(error.message).toContain(`whether the notification order_update to ${hashId} was accepted`);
      expect(proxy.triggers()).toBe(1);
      await service.close();
      expect(sent(service)).toBe(1);
    },
  );
});
