import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';

const event = (userId: string, name = 'e', properties?: object) => ({
  userId,
  event: name,
  timestamp: '2026-01-01T00:00:00Z',
  properties,
});
const ingest = (service: TestService, ...events: object[]) =>
  service.fetch('/v1/events', { body: { events } });

describe('svc events tail', () => {
  it('prints events as NDJSON when they arrive, and exits after --count', async () => {
    const service = await startTestService();
    const tail = startSvc(['events', 'tail', '--json', '--count', '2'], { env: service.env });
    await tail.waitFor(/watching/, 'stderr');
    await ingest(service, event('u1'), event('u2', 'f', { a: '\u202e', n: 1 }));
    const { code, stdout } = await tail.done;
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { userId: 'u1', event: 'e' },
      { userId: 'u2', properties: { a: '\u202e', n: 1 } },
    ]);
    expect(stdout).not.toContain('\u202e');
  });

  it('shows a filtered table with escaped control characters, and exits with 130 on Ctrl-C', async () => {
    const service = await startTestService();
    const tail = startSvc(['events', 'tail', '--event', 'buy', '--user-id', 'u2'], {
      env: service.env,
      columns: 80,
    });
    await tail.waitFor(/watching/, 'stderr');
    await ingest(
      service,
      event('u1', 'buy'),
      event('u2', 'look'),
      event('u2', 'buy', { t: '\u001b]52;c;AA\u0007' }),
    );
    await tail.waitFor(/u2 +buy/);
    tail.interrupt();
    const { code, stdout } = await tail.done;
    expect(code).toBe(130);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(stdout.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    for (const line of lines) expect(line.replace(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(80);
  });

  it('filters by terms, and refuses a filter that is not valid', async () => {
    const service = await startTestService();
    const args = [
      'events',
      'tail',
      '--json',
      '--count',
      '1',
      '--filter',
      'amount>100 -source:web "two words"',
    ];
    const tail = startSvc(args, { env: service.env });
    await tail.waitFor(/watching/, 'stderr');
    await ingest(
      service,
      event('u1', 'e', { amount: 99, note: 'two words' }),
      event('u2', 'e', { amount: 101, note: 'two words', source: 'web' }),
      event('u3', 'e', { amount: 101, note: 'two words' }),
    );
    const { code, stdout } = await tail.done;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ userId: 'u3' });
    const refused = await runSvc(['events', 'tail', '--filter', 'amount>much'], { env: service.env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('expected a number after > (at character 8)');
  });

  it('misses no event when the connection is lost repeatedly', async () => {
    const service = await startTestService();
    let cuts = 0;
    // Passes each stream on for a few events, then tears it.
    const proxy = createServer(async (request, response) => {
      const answer = await fetch(service.url + request.url, {
        headers: request.headers as Record<string, string>,
      });
      response.writeHead(answer.status, { 'content-type': 'text/event-stream' });
      let events = 0;
      for await (const chunk of answer.body!) {
        response.write(chunk);
        events += Buffer.from(chunk).toString().split('"userId"').length - 1;
        if (events > 0 && cuts < 3) {
          cuts++;
          response.destroy();
          return;
        }
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.close();
      proxy.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const tail = startSvc(['events', 'tail', '--json', '--count', '8'], {
      env: { ...service.env, SVC_BASE_URL: url },
    });
    await tail.waitFor(/watching/, 'stderr');
    for (let i = 0; i < 8; i++) await ingest(service, event(`u${i}`));
    const { stdout } = await tail.done;
    const users = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).userId);
    expect(users).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7']);
    expect(cuts).toBe(3);
  });

  it('reports an unsupported stream, and a wrong key', async () => {
    const service = await startTestService();
    const wrong = await runSvc(['events', 'tail'], {
      env: { ...service.env, SVC_API_KEY: 'sk_test_nobody' },
    });
    expect(wrong).toMatchObject({ code: 4, stdout: '' });
    const none = createServer((_, response) => void response.writeHead(404).end());
    await new Promise<void>((resolve) => none.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void none.close());
    const url = `http://127.0.0.1:${(none.address() as AddressInfo).port}`;
    const missing = await runSvc(['events', 'tail'], { env: { ...service.env, SVC_BASE_URL: url } });
    expect(missing).toMatchObject({ code: 5, stdout: '' });
    expect(missing.stderr).toMatch(/does not offer/);
  });
});
