import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { signBody } from '../../../src/contract/signature.ts';
import {
  BODY,
  click,
  env,
  listen,
  post,
  SECRET,
  subscriptions,
} from '../../support/listen/listen-command.ts';
import { startTarget } from '../../support/listen/target.ts';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

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

it('receives what occurred before it was started, and then what occurs, once each', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  await click(service);
  await click(service);
  const svc = await listen(['--count', '3', '--event', 'campaign.clicked', '--since', '1h'], {
    env: service.env,
  });
  await click(service);
  const { code, stderr } = await svc.done;
  expect(code).toBe(0);
  expect(stderr).toMatch(/[23] outcomes since 20/);
  const ids = svc.lines().map(({ body }) => (body as { decisionId: string }).decisionId);
  expect(new Set(ids).size).toBe(3);
  for (const bad of [
    ['--since', 'soon'],
    ['--since', '1h', '--no-register'],
  ])
    expect((await runSvc(['webhooks', 'listen', '--port', '0', ...bad], { env: service.env })).code).toBe(2);
  const offline = await runSvc(['webhooks', 'listen', '--port', '0', '--since', '1h'], {
    env: { SVC_BASE_URL: 'https://api.example.com', SVC_WORKSPACE: 'ws', SVC_API_KEY: 'key' },
  });
  expect(offline.stderr).toContain('--since needs a subscription of this listener');
});

it('renews the lease, and removes the subscription after Ctrl-C too', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const svc = await listen(['--lease', '5s'], { env: service.env });
  const leaseUntil = async () => (await subscriptions(service))[0] as { leaseUntil?: string } | undefined;
  const first = (await leaseUntil())!.leaseUntil!;
  await expect.poll(async () => (await leaseUntil())?.leaseUntil).not.toBe(first);
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
  expect(kind.code).toBe(2);
  expect(kind.stderr).toContain('the service has no such kind of event');
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
  const decided = await run('decide', '--hash-id', 'a'.repeat(64));
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
  await svc.waitFor(/waiting/, 'stderr');
  svc.interrupt();
  const { code, stderr } = await svc.done;
  expect(stderr).not.toMatch(/unexpected|report/);
  expect(code).toBe(130);
});
