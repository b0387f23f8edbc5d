import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { signBody } from '../../../src/contract/signature.ts';
import { startTarget } from '../../support/listen/target.ts';
import { cannedService } from '../../support/peers/canned-service.ts';
import { type RunningSvc, type RunOptions, runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const SECRET = '7d0c1f4be2a95836c47b1e60f8d2a3957d0c1f4be2a95836c47b1e60f8d2a395';
const env = { SVC_WEBHOOK_SECRET: SECRET };
const EVENT = { type: 'campaign.clicked', decisionId: 'dec_1', contentId: 'c', hashId: 'h' };
const BODY = JSON.stringify(EVENT);

interface Listening extends RunningSvc {
  readonly url: string;
  /** The JSON lines after the ready line. */
  lines(): Array<Record<string, unknown>>;
}

async function listen(argv: string[], options: RunOptions = { env }): Promise<Listening> {
  const svc = startSvc(['webhooks', 'listen', '--port', '0', '--json', ...argv], options);
  onTestFinished(async () => {
    svc.interrupt();
    await svc.done;
  });
  const ready = JSON.parse((await svc.waitFor(/^.+\n/))[0]);
  expect(ready.type).toBe('ready');
  return {
    ...svc,
    url: ready.url,
    lines: () =>
      svc
        .stdout()
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line)),
  };
}

function post(url: string, body: string | Buffer, signature: string | undefined): Promise<Response> {
  const headers: Record<string, string> = signature === undefined ? {} : { 'x-service-signature': signature };
  return fetch(url, { method: 'POST', body: Buffer.from(body as string), headers });
}

/** Records the outcome of a decision in a service, which causes one delivery of `campaign.clicked`. */
async function click(service: TestService, userId = 'u1'): Promise<void> {
  const { users } = (await (await service.fetch('/v1/users', { body: { users: [{ userId }] } })).json()) as {
    users: [{ hashId: string }];
  };
  const decided = await service.fetch('/v1/decisioning/decide', { body: { hashId: users[0].hashId } });
  const { decisionId } = (await decided.json()) as { decisionId: string };
  const outcome = await service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type: 'clicked' } });
  expect(outcome.status).toBe(202);
}

async function subscriptions(service: TestService): Promise<Array<{ url: string; events: string[] }>> {
  const answer = (await (await service.fetch('/v1/webhooks')).json()) as { webhooks: [] };
  return answer.webhooks;
}

it('needs no profile: prints a ready line, then a line for each delivery, and exits 130 after Ctrl-C', async () => {
  const svc = await listen([]);
  expect((await post(svc.url, BODY, signBody(Buffer.from(BODY), SECRET))).status).toBe(200);
  expect((await post(svc.url, BODY, signBody(Buffer.from(BODY), SECRET))).status).toBe(200);
  svc.interrupt();
  expect((await svc.done).code).toBe(130);
  expect(svc.lines()).toMatchObject([
    {
      type: 'event',
      verified: true,
      duplicate: false,
      body: EVENT,
      headers: { 'x-service-signature': expect.any(String) },
    },
    { type: 'event', verified: true, duplicate: true },
  ]);
  expect(svc.stderr()).toBe('');
});

const hmac = (body: string, key: string | Buffer = SECRET) => createHmac('sha256', key).update(body);
const MISTAKES: Array<[string, string, string | undefined]> = [
  ['re-serialised-body', BODY.replaceAll(':', ': '), hmac(BODY).digest('hex')],
  ['pretty-printed-body', JSON.stringify(EVENT, null, 2), hmac(BODY).digest('hex')],
  ['trailing-newline', `${BODY}\n`, hmac(BODY).digest('hex')],
  ['sha256-prefix', BODY, `sha256=${hmac(BODY).digest('hex')}`],
  ['base64-signature', BODY, hmac(BODY).digest('base64')],
  ['secret-decoded-from-hex', BODY, hmac(BODY, Buffer.from(SECRET, 'hex')).digest('hex')],
  ['upper-case-hex', BODY, hmac(BODY).digest('hex').toUpperCase()],
  ['missing-header', BODY, undefined],
  ['unknown', BODY, '0'.repeat(64)],
];

it('names each known mistake under --json', async () => {
  const svc = await listen([]);
  for (const [, body, signature] of MISTAKES) expect((await post(svc.url, body, signature)).status).toBe(401);
  await expect.poll(() => svc.lines().length).toBe(MISTAKES.length); // diagnosed after the answer
  expect(svc.lines()).toMatchObject(MISTAKES.map(([name]) => ({ type: 'rejected', diagnosis: { name } })));
  expect(svc.lines()[0]).toMatchObject({
    reason: 'signature_mismatch',
    receivedAt: expect.stringMatching(/Z$/),
  });
});

it('names each known mistake in the terminal, with its fix', async () => {
  const svc = startSvc(['webhooks', 'listen', '--port', '0'], { env, columns: 80 });
  const [, url] = await svc.waitFor(/listening on (\S+)/);
  for (const [, body, signature] of MISTAKES) await post(url!, body, signature);
  svc.interrupt();
  await svc.done;
  for (const [name] of MISTAKES) expect(svc.stdout()).toContain(`401  ${name}\n`);
  expect(svc.stdout()).toMatch(/trailing newline.*\n.*Node .*\n.*Python .*\n.*Go /);
});

it('prints the control characters in the text of a sender visibly', async () => {
  const svc = startSvc(['webhooks', 'listen', '--port', '0', '--count', '1'], {
    env: { ...env, NO_COLOR: '1' },
    columns: 80,
  });
  const [, url] = await svc.waitFor(/listening on (\S+)/);
  const hostile = JSON.stringify({ ...EVENT, contentId: '\u001b[2J\u0007gone' });
  await post(url!, hostile, signBody(Buffer.from(hostile), SECRET));
  expect((await svc.done).stdout.split('\n').find((line) => line.includes('gone'))).not.toMatch(
    /[\u001b\u0007]/,
  );
});

it('forwards by kind, answers with the status of the target, and warns once about a target that is down', async () => {
  const handler = await startTarget((_, response) => response.writeHead(500).end('broken'));
  onTestFinished(() => handler.close());
  const gone = await startTarget();
  await gone.close();
  const svc = await listen(['-f', `campaign.clicked=${handler.url}`, '-f', gone.url]);
  const send = async (body: string) =>
    (await post(svc.url, body, signBody(Buffer.from(body), SECRET))).status;
  expect(await send(BODY)).toBe(500);
  expect(await send('{"type":"campaign.opened"}')).toBe(502);
  expect(await send('{"type":"decision.actioned"}')).toBe(502);
  expect(handler.received[0]!.body.toString()).toBe(BODY);
  expect(svc.lines()).toMatchObject([
    { forwarded: { status: 500 } },
    { forwarded: { status: 502 } },
    { forwarded: { status: 502 } },
  ]);
  expect(svc.stderr().match(/does not answer/g)).toHaveLength(1);
});

it('warns once about a handler that refuses verified deliveries, with the command that tests it', async () => {
  const handler = await startTarget((_, response) => response.writeHead(401).end());
  onTestFinished(() => handler.close());
  const cwd = tempDir();
  writeFileSync(join(cwd, 'my secret.txt'), SECRET);
  const options = { cwd, env: {} };
  const svc = await listen(['--secret-file', 'my secret.txt', '-f', handler.url], options);
  for (let n = 0; n < 2; n++) {
    expect((await post(svc.url, BODY, signBody(Buffer.from(BODY), SECRET))).status).toBe(401);
  }
  expect(svc.lines()).toMatchObject([
    { type: 'event', verified: true, forwarded: { status: 401 } },
    { type: 'event', verified: true, forwarded: { status: 401 } },
  ]);
  expect(svc.stderr().match(/refused a verified delivery with 401/g)).toHaveLength(1);
  const [, next] = /^ {2}next: svc (.+)$/m.exec(svc.stderr())!;
  expect(next).toBe(`webhooks test ${handler.url} --secret-file 'my secret.txt'`);
  const tried = await runSvc(next!.split(/ (?=--|webhooks|test|http|')/).map(withoutQuotes), options);
  expect(tried.code).toBe(5);
  expect(tried.stdout).toMatch(/valid: .*same secret/);
});

const withoutQuotes = (word: string) => word.replace(/^'(.*)'$/, '$1');

it('suggests a secret file where the handler cannot have the generated secret', async () => {
  const handler = await startTarget((_, response) => response.writeHead(403).end());
  onTestFinished(() => handler.close());
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const svc = await listen(['-f', handler.url], { env: service.env });
  await click(service);
  await expect.poll(svc.stderr).toMatch(/refused a verified delivery with 403/);
  const again = /next: (?:use a secret file for both: )?(svc .*--secret-file secret\.txt)$/gm;
  expect([...svc.stderr().matchAll(again)].map(([, next]) => next)).toEqual(
    Array(2).fill(`svc webhooks listen --port 0 --json -f ${handler.url} --secret-file secret.txt`),
  );
});

it('names a port in use, and suggests a free one', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const run = await runSvc(['webhooks', 'listen', '--port', String(port)], { env });
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain(`port ${port} on 127.0.0.1 is already in use`);
  expect(run.stderr).toContain('--port 0');
});

it.each([
  [['--forward-to', 'ftp://x'], 2],
  [['--forward-to', 'localhost:4500/hook', '--port', '4500'], 2],
  [['--lease', '1s'], 2],
  [['--host', 'no-such-host.invalid'], 2],
  [['--record', 'missing/folder/file'], 2],
  [['--register', 'https://hooks.example.com/'], 4],
])('%j exits %i', async (argv, code) => {
  const run = await runSvc(['webhooks', 'listen', '--port', '0', ...(argv as string[])], { env });
  expect(run.code).toBe(code);
  expect(run.stderr).toMatch(/next: /);
});

it.each(['a file with other content', 'a symbolic link to it', 'a dangling symbolic link'])(
  'does not record to %s',
  async (what) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'notes'), 'notes\n');
    const names: Record<string, string> = {
      'a file with other content': 'notes',
      'a symbolic link to it': 'link',
    };
    symlinkSync(join(cwd, 'notes'), join(cwd, 'link'));
    symlinkSync(join(cwd, 'nothing'), join(cwd, 'dangling'));
    const record = names[what] ?? 'dangling';
    const run = await runSvc(['webhooks', 'listen', '--port', '0', '--count', '1', '--record', record], {
      env,
      cwd,
    });
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/is (not a record|a symbolic link)/)]);
    expect(run.stderr).toContain(`.deliveries.ndjson`);
    expect(readFileSync(join(cwd, 'notes'), 'utf8')).toBe('notes\n');
    expect(existsSync(join(cwd, 'nothing'))).toBe(false);
  },
);

it('exits 4 without a secret and without a service', async () => {
  expect((await runSvc(['webhooks', 'listen', '--port', '0'])).code).toBe(4);
});

it('subscribes to a service that allows loopback addresses, and removes the subscription at the end', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const svc = await listen(['--count', '1', '--event', 'campaign.clicked'], { env: service.env });
  expect(await subscriptions(service)).toMatchObject([
    { url: svc.url, events: ['campaign.clicked'], leaseUntil: expect.any(String) },
  ]);
  await click(service);
  expect((await svc.done).code).toBe(0);
  expect(svc.lines()).toMatchObject([{ type: 'event', verified: true, body: { type: 'campaign.clicked' } }]);
  expect(await subscriptions(service)).toEqual([]);
});

it('renews the lease, and removes the subscription after Ctrl-C too', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const svc = await listen(['--lease', '5s'], { env: service.env });
  const leaseUntil = async () => (await subscriptions(service))[0] as { leaseUntil?: string } | undefined;
  const first = (await leaseUntil())!.leaseUntil!;
  await expect.poll(async () => (await leaseUntil())?.leaseUntil, { timeout: 10_000 }).not.toBe(first);
  svc.interrupt();
  expect((await svc.done).code).toBe(130);
  expect(await subscriptions(service)).toEqual([]);
});

it('does not create a missing --secret-file, and says how to create one', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const cwd = tempDir();
  for (const options of [{ env: service.env, cwd }, { cwd }]) {
    const run = await runSvc(['webhooks', 'listen', '--port', '0', '--secret-file', "sec'ret"], options);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain("no such file: sec'ret");
  }
  const { stderr } = await runSvc(['webhooks', 'listen', '--port', '0', '--secret-file', "sec'ret"], {
    env: service.env,
    cwd,
  });
  expect(stderr).toContain("(umask 077; openssl rand -hex 32 > 'sec'\\''ret')");
  expect(readdirSync(cwd)).toEqual([]);
  expect(await subscriptions(service)).toEqual([]);
});

it('continues without a subscription if a secret is given, else exits 5, where loopback addresses are refused', async () => {
  const service = await startTestService();
  const svc = await listen([], { env: { ...service.env, ...env } });
  expect(svc.stderr()).toContain('not subscribed');
  expect((await post(svc.url, BODY, signBody(Buffer.from(BODY), SECRET))).status).toBe(200);
  const alone = await runSvc(['webhooks', 'listen', '--port', '0'], { env: service.env });
  expect(alone.code).toBe(5);
  expect(alone.stderr).toContain('--allow-loopback-webhooks');
});

it('continues with a given secret where the service on this machine is down', async () => {
  const down = { SVC_BASE_URL: `http://127.0.0.1:${await freePort()}`, SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  const svc = await listen(['--max-retries', '0'], { env: { ...env, ...down } });
  expect(svc.stderr()).toContain('not subscribed');
  expect((await post(svc.url, BODY, signBody(Buffer.from(BODY), SECRET))).status).toBe(200);
  const alone = ['webhooks', 'listen', '--port', '0', '--max-retries', '0'];
  expect((await runSvc(alone, { env: down })).code).toBe(6);
});

it('reports other refusals with the message of the service', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const run = (argv: string[], more = {}) =>
    runSvc(['webhooks', 'listen', '--port', '0', ...argv], { env: { ...service.env, ...more } });
  const kind = await run(['--event', 'campaign.imagined']);
  expect(kind.code).toBe(5);
  expect(kind.stderr).toContain('events.0 must be one of');
  const short = await run([], { SVC_WEBHOOK_SECRET: 'too short' });
  expect(short.code).toBe(5);
  expect(short.stderr).toContain('16 characters');
});

it('subscribes to local, and receives the deliveries that another command on local causes', async () => {
  const home = tempDir();
  const svc = await listen(['--profile', 'local', '--count', '1'], { home });
  const run = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runSvc([...argv, '--profile', 'local', '--json'], { home });
    expect(code, stderr).toBe(0);
    return stdout === '' ? undefined : JSON.parse(stdout);
  };
  const decided = await run('decide', '--hash-id', '9f86d081884c7d659a2feaa0c55ad015');
  await run('messages', 'outcome', decided.decisionId, 'clicked');
  expect((await svc.done).code).toBe(0);
  expect(svc.lines()).toMatchObject([{ body: { type: 'campaign.clicked', decisionId: decided.decisionId } }]);
  expect((await run('api', 'GET', '/v1/webhooks')).webhooks).toEqual([]);
});

it('--register probes the public address first, and warns where the service cannot remove the subscription', async () => {
  // A remote service that supports only the operation in the specification.
  const calls: string[] = [];
  const remote = await startTarget(({ method, path, body }, response) => {
    calls.push(`${method} ${path} ${body}`);
    if (method === 'POST' && path === '/v1/webhooks') response.writeHead(200).end('{"id":"sub-9"}');
    else response.writeHead(404).end();
  });
  onTestFinished(() => remote.close());
  const options = {
    env: { ...env, SVC_BASE_URL: remote.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' },
  };
  const tunnel = await startTarget(async ({ headers, body }, response) => {
    const { host: _host, 'content-length': _length, connection: _connection, ...rest } = headers;
    const passed = await fetch(local, {
      method: 'POST',
      headers: rest as Record<string, string>,
      body: new Uint8Array(body),
    });
    response.writeHead(passed.status).end(await passed.text());
  });
  onTestFinished(() => tunnel.close());
  const port = await freePort();
  const local = `http://127.0.0.1:${port}/`;
  const svc = startSvc(
    ['webhooks', 'listen', '--port', String(port), '--register', tunnel.url, '--json'],
    options,
  );
  const ready = JSON.parse((await svc.waitFor(/^.+\n/))[0]);
  expect(ready).toMatchObject({ type: 'ready', url: local, subscription: { id: 'sub-9', url: tunnel.url } });
  expect(calls).toHaveLength(1);
  expect(svc.stderr()).toContain('does not support leases');
  svc.interrupt();
  expect((await svc.done).stderr).toMatch(/sub-9 .*was not removed \(HTTP 404\).*console/);
  expect(svc.stdout().trimEnd().split('\n')).toHaveLength(1);
});

it('--register does not subscribe where the address does not reach this listener', async () => {
  const calls: string[] = [];
  const remote = await startTarget(({ path }, response) => {
    calls.push(path);
    response.end('{"received": true}');
  });
  onTestFinished(() => remote.close());
  const options = {
    env: { ...env, SVC_BASE_URL: remote.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' },
  };
  const svc = startSvc(
    ['webhooks', 'listen', '--port', '0', '--register', `${remote.url}elsewhere`],
    options,
  );
  await expect.poll(() => calls.length).toBeGreaterThan(1);
  svc.interrupt();
  const { stdout } = await svc.done;
  expect(stdout).toBe('');
  expect(calls.every((path) => path === '/elsewhere')).toBe(true);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('--register exits 130 at Ctrl-C while it probes the public address, without a subscription', async () => {
  const service = await startTestService();
  let probes = 0;
  const elsewhere = await startTarget((_, response) => {
    probes++;
    response.writeHead(404).end();
  });
  onTestFinished(() => elsewhere.close());
  // During a request, and during the pause after it.
  for (const wanted of [1, 2]) {
    probes = 0;
    const svc = startSvc(['webhooks', 'listen', '--port', '0', '--register', elsewhere.url], {
      env: service.env,
    });
    await expect.poll(() => probes).toBeGreaterThanOrEqual(wanted);
    svc.interrupt();
    const { code, stderr } = await svc.done;
    expect(stderr).not.toMatch(/unexpected|report/);
    expect(code).toBe(130);
  }
  expect(await subscriptions(service)).toEqual([]);
});

it('exits 130 at Ctrl-C while it retries the subscription', async () => {
  let asked = 0;
  const { env: elsewhere } = await cannedService(() => {
    asked++;
    return { status: 429, headers: { 'retry-after': '3600' } };
  });
  const svc = startSvc(['webhooks', 'listen', '--port', '0'], { env: elsewhere });
  await expect.poll(() => asked).toBe(1);
  await svc.waitFor(/./, 'stderr');
  svc.interrupt();
  const { code, stderr } = await svc.done;
  expect(stderr).not.toMatch(/unexpected|report/);
  expect(code).toBe(130);
});
