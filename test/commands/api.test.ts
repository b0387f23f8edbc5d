import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, startReceiver } from '../support/peers/receiver.ts';
import { runSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';

async function answering(answer: Answer) {
  const receiver = await startReceiver(answer);
  onTestFinished(() => receiver.close());
  return {
    receiver,
    env: { SVC_BASE_URL: `${receiver.url}base/`, SVC_WORKSPACE: 'ws_1', SVC_API_KEY: 'sk_test_canary' },
  };
}
const echo =
  (body: string | Buffer, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'x-note': 'a\tb' }).end(body);

describe('svc api', () => {
  it('sends fields as JSON to the base URL, with API key and idempotency key', async () => {
    const { receiver, env } = await answering(echo('{}'));
    const run = await runSvc(
      [
        'api',
        'post',
        '/v1/decisioning/decide?x=1',
        '-f',
        'hashId=7',
        '-F',
        'guardrails[maxDailyContacts]=3',
        '-H',
        'X-Trace: t',
      ],
      { env },
    );
    expect(run).toMatchObject({ code: 0, stdout: '{}', stderr: '' });
    const [got] = receiver.received;
    expect(got).toMatchObject({ method: 'POST', path: '/base/v1/decisioning/decide?x=1' });
    expect(JSON.parse(got!.body.toString())).toEqual({ hashId: '7', guardrails: { maxDailyContacts: 3 } });
    expect(got!.headers).toMatchObject({
      authorization: 'Bearer sk_test_canary',
      'x-service-workspace': 'ws_1',
      'content-type': 'application/json',
      'x-trace': 't',
      'idempotency-key': expect.stringMatching(/.{36}/),
    });
  });

  it('puts the fields of a GET into the query, and sends a GET for a path alone', async () => {
    const { receiver, env } = await answering(echo('[]'));
    await runSvc(['api', 'GET', '/v1/messages', '-f', 'hashId=a b'], { env });
    await runSvc(['api', '/v1/webhooks'], { env });
    expect(receiver.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /base/v1/messages?hashId=a+b',
      'GET /base/v1/webhooks',
    ]);
    expect(receiver.received[0]!.headers['idempotency-key']).toBeUndefined();
  });

  it('prints the body unchanged, and escaped on a terminal', async () => {
    const bytes = Buffer.from([0x7b, 0x1b, 0x5d, 0x35, 0x32, 0xff, 0x00, 0x0a]);
    const { env } = await answering(echo(bytes));
    const piped = await runSvc(['api', 'GET', '/x'], { env });
    expect(piped.stdout).toBe(bytes.toString());
    const shown = await runSvc(['api', 'GET', '/x', '-i'], { env, columns: 80 });
    expect(shown.stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    expect(shown.stdout).toContain('HTTP/1.1 200');
    expect(shown.stdout).toContain('x-note: a\\tb');
    expect(JSON.parse((await runSvc(['api', 'GET', '/x', '--json'], { env })).stdout)).toBe(bytes.toString());
  });

  it('keeps the original JSON text with --json, and prints one document for any body', async () => {
    const text = '{ "n": 12345678901234567890, "x": 1.50, "s": "\u202e\u009d" }';
    const run = await runSvc(['api', 'GET', '/x', '--json'], { env: (await answering(echo(text))).env });
    expect(run.stdout).toContain('12345678901234567890, "x": 1.50');
    expect(run.stdout).not.toMatch(/[\u202e\u009d]/);
    expect(JSON.parse(run.stdout)).toEqual(JSON.parse(text));
    const empty = await runSvc(['api', 'DELETE', '/x', '--json'], {
      env: (await answering(echo('', 204))).env,
    });
    expect(empty).toMatchObject({ code: 0, stdout: 'null\n' });
  });

  it.each([
    [400, 5],
    [401, 4],
    [404, 5],
    [302, 5],
    [500, 6],
  ])('prints the body of a %i and exits %i', async (status, code) => {
    const { env } = await answering(echo('{"error":"e","message":"why"}', status));
    const run = await runSvc(['api', 'POST', '/x', '--max-retries', '0', '--json'], { env });
    expect(run).toMatchObject({ code, stdout: '{"error":"e","message":"why"}\n' });
    expect(JSON.parse(run.stderr).error.exitCode).toBe(code);
  });

  it('sends a file or standard input unchanged', async () => {
    const { receiver, env } = await answering(echo(''));
    const home = tempDir();
    writeFileSync(join(home, 'body'), Buffer.from([0, 255]));
    await runSvc(['api', 'POST', '/v1/events', '--input', 'body', '-f', 'q=1'], { env, home });
    await runSvc(['api', 'POST', '/v1/events', '--input', '-'], { env, home, stdin: 'typed' });
    expect(receiver.received.map(({ body }) => body.toString('hex'))).toEqual([
      '00ff',
      Buffer.from('typed').toString('hex'),
    ]);
    expect(receiver.received[0]!.path).toBe('/base/v1/events?q=1');
    expect(await runSvc(['api', 'POST', '/x', '--input', 'nothing'], { env, home })).toMatchObject({
      code: 2,
    });
  });

  it.each([
    [['GET']],
    [['FETCH', '/x']],
    [['GET', 'x']],
    [['GET', '/x y']],
    [['GET', 'https://elsewhere.example/x']],
    [['GET', '/x', '-H', 'authorization: Bearer mine']],
    [['GET', '/x', '-H', 'nonsense']],
    [['GET', '/x', '-H', 'a: b\r\nc: d']],
    [['POST', '/x', '-f', 'a']],
  ])('refuses %j', async (argv) => {
    const service = await startTestService();
    const run = await runSvc(['api', ...argv], { env: service.env });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
  });
});
