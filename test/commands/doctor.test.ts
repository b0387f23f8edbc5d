import { cpSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { startReceiver } from '../support/peers/receiver.ts';
import { type RunOptions, runSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';

interface Row {
  check: string;
  status: string;
  seen: string;
  next: string | null;
}

async function examine(options: RunOptions, ...flags: string[]) {
  const run = await runSvc(['doctor', '--json', ...flags], options);
  const { ok, checks } = JSON.parse(run.stdout) as { ok: boolean; checks: Row[] };
  const row = (name: string) => checks.find(({ check }) => check === name)!;
  return { ...run, ok, checks, row, statuses: checks.map(({ check, status }) => `${check} ${status}`) };
}

const elsewhere = (url: string) => ({ SVC_BASE_URL: url, SVC_WORKSPACE: 'ws_1', SVC_API_KEY: 'sk_test_1' });

describe('svc doctor', () => {
  it('passes a working service with two reads', async () => {
    const service = await startTestService({ limits: { reads: 60 }, region: 'eu' });
    const result = await examine({ env: { ...service.env, SVC_REGION: 'eu' } });
    expect(result).toMatchObject({ code: 0, ok: true, stderr: '' });
    expect(result.statuses).toEqual([
      'configuration ok',
      'address ok',
      'tls skipped',
      'service ok',
      'key ok',
      'region ok',
      'mode ok',
      'clock ok',
      'limits ok',
    ]);
    expect(result.row('limits').seen).toBe('left: reads 58 of 60');
  });

  it('warns of subscriptions that are disabled', async () => {
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const body = {
      url: 'http://127.0.0.1:9/',
      events: ['campaign.clicked'],
      signingSecret: 'of this test only',
    };
    const made = await Promise.all([1, 2].map(() => service.fetch('/v1/webhooks', { body })));
    const [{ id }] = (await Promise.all(made.map((answer) => answer.json()))) as [{ id: string }];
    await service.fetch(`/v1/webhooks/${id}`, { method: 'PATCH', body: { status: 'disabled' } });
    const { row, code } = await examine({ env: service.env });
    expect(code).toBe(0);
    expect(row('webhooks')).toMatchObject({
      status: 'warn',
      seen: `1 of 2 subscriptions are disabled: ${id} (disabled by request)`,
      next: expect.stringMatching(new RegExp(`svc webhooks get ${id}$`)),
    });
  });

  it('warns about a base URL that ends in /v1, and shows the correct one', async () => {
    const service = await startTestService();
    const home = tempDir();
    const twice = `${service.url}/v1`;
    const add = ['profiles', 'add', 'p', '--workspace', service.workspace, '--base-url', twice];
    const correction = `svc profiles add p --base-url ${service.url}`;
    const warning = `warning: the base URL ${twice} ends in /v1, which svc adds itself; without it: ${correction}\n`;
    expect((await runSvc(add, { home, env: { SVC_API_KEY: service.apiKey } })).stderr).toContain(warning);
    const failed = await runSvc(['events', 'send', '--user-id', 'u', '--event', 'e'], { home });
    expect([failed.code, failed.stderr]).toEqual([5, expect.stringContaining(warning)]);
    const result = await examine({ home });
    expect(result.row('key')).toMatchObject({ status: 'warn', next: expect.stringContaining(correction) });
    expect((await runSvc(correction.split(' ').slice(1), { home })).stderr).not.toContain('/v1, which');
    expect((await examine({ home })).statuses).toContain('key ok');
  });

  it('warns about any other path with no service', async () => {
    const service = await startTestService();
    const result = await examine({ env: { ...service.env, SVC_BASE_URL: `${service.url}/api/` } });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.row('key')).toMatchObject({
      status: 'warn',
      next: expect.stringMatching(`if /api is too much there: export SVC_BASE_URL=${service.url}$`),
    });
  });

  it('names the profile that does not exist, and what selects it', async () => {
    const absent = await examine({ env: { SVC_PROFILE: 'ghost' } });
    expect(absent).toMatchObject({ code: 4 });
    expect(absent.row('configuration')).toMatchObject({
      status: 'fail',
      seen: 'there is no profile ghost, which SVC_PROFILE names',
    });
    const service = await startTestService();
    const ignored = await examine({ env: { ...service.env, SVC_PROFILE: 'ghost' } });
    expect(ignored).toMatchObject({ code: 0, stderr: '' });
    expect(ignored.row('configuration')).toMatchObject({
      status: 'warn',
      seen: expect.stringMatching(/; there is no profile ghost \(SVC_PROFILE\)$/),
      next: 'unset SVC_PROFILE',
    });
    expect((await examine({ env: service.env }, '--profile', 'ghost')).row('configuration')).toMatchObject({
      status: 'warn',
      next: 'list the profiles: svc profiles list',
    });
  });

  it('completes a base URL without a scheme', async () => {
    const service = await startTestService();
    const address = service.url.replace('http://', '');
    const home = tempDir();
    const env = { ...service.env, SVC_BASE_URL: address };
    for (const options of [
      { env },
      { env: { ...env, SVC_BASE_URL: address.replace('127.0.0.1', 'localhost') } },
    ])
      expect(await examine(options)).toMatchObject({ code: 0, ok: true });
    expect((await examine({ env }, '--base-url', address)).row('configuration').seen).toContain(service.url);
    const add = ['profiles', 'add', 'p', '--workspace', service.workspace, '--base-url', address];
    expect(await runSvc(add, { home, env: { SVC_API_KEY: service.apiKey } })).toMatchObject({ code: 0 });
    const shown = JSON.parse((await runSvc(['profiles', 'show', 'p', '--json'], { home })).stdout);
    expect(shown.baseUrl).toBe(service.url);
  });

  it('prints a failure once, as a row', async () => {
    const gone = await runSvc(['doctor'], { env: elsewhere('http://127.0.0.1:1') });
    expect(gone).toMatchObject({ code: 6, stderr: '' });
    expect(gone.stdout.split('does not accept connections')).toHaveLength(2);
  });

  it('names the missing settings', async () => {
    const result = await examine({});
    expect(result).toMatchObject({ code: 4, ok: false });
    expect(result.row('configuration')).toMatchObject({
      status: 'fail',
      next: expect.stringMatching(/profiles add/),
    });
    expect(JSON.parse(result.stderr).error).toMatchObject({ code: 'not_configured', exitCode: 4 });
  });

  it('distinguishes an address where nothing listens from a server without TLS', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('hello\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const plain = await examine({ env: elsewhere(`https://127.0.0.1:${port}`) });
    expect(plain.code).toBe(6);
    expect(plain.row('address').status).toBe('ok');
    expect(plain.row('tls')).toMatchObject({
      status: 'fail',
      seen: expect.stringMatching(/no trusted connection/),
    });
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    const gone = await examine({ env: elsewhere(`https://127.0.0.1:${port}`) });
    expect(gone.code).toBe(6);
    expect(gone.row('address')).toMatchObject({
      status: 'fail',
      seen: expect.stringMatching(/ECONNREFUSED/),
      next: `correct the address https://127.0.0.1:${port} of SVC_BASE_URL, or diagnose the network: curl -v https://127.0.0.1:${port}`,
    });
    expect(gone.row('key').status).toBe('skipped');
  });

  it('reports an unknown key, and continues', async () => {
    const service = await startTestService();
    const result = await examine({ env: { ...service.env, SVC_API_KEY: 'sk_test_nobody' } }, '--probe');
    expect(result.code).toBe(4);
    expect(result.row('key')).toMatchObject({
      status: 'fail',
      next: expect.stringMatching(/the key is from SVC_API_KEY; give another: read -rs/),
    });
    expect(result.row('clock').status).toBe('ok');
  });

  describe('a region that is not the one expected', () => {
    const profile = (home: string, name: string, region: string, url: string, ...more: string[]) =>
      runSvc(['profiles', 'add', name, '--workspace', 'ws', '--region', region, '--base-url', url, ...more], {
        home,
        env: { SVC_API_KEY: 'sk_test_1' },
      });

    it('is the slower global fallback, with a command for each correction', async () => {
      const eu = await startTestService({ region: 'eu' });
      const us = await startTestService({ region: 'us', database: eu.database });
      const home = tempDir();
      const add = ['profiles', 'add', 'prod', '--workspace', us.workspace, '--base-url', us.url];
      await runSvc([...add, '--region', 'eu', '--idempotent', '--api-key-stdin'], {
        home,
        stdin: us.apiKey,
      });
      await profile(home, 'elsewhere', 'eu', eu.url);
      const result = await examine({ home });
      expect(result.code).toBe(4);
      expect(result.row('region')).toMatchObject({
        status: 'fail',
        seen: expect.stringMatching(/answered from global, the slower fallback.*not from eu/),
        next: `if global is correct: svc profiles add prod --region global\nif eu is correct: svc profiles add prod --base-url ${eu.url}`,
      });
      const text = await runSvc(['doctor'], { home });
      expect(text).toMatchObject({ code: 4, stderr: '' });
      expect(text.stdout).toMatch(
        /\n {20}next: if global is correct: svc .*\n {20}if eu is correct: svc .*\n/,
      );
      // Each way, pasted as it stands, ends the matter.
      for (const [way] of result.row('region').next!.matchAll(/svc .*/g)) {
        const again = tempDir();
        cpSync(home, again, { recursive: true });
        const done = await runSvc(way.split(' ').slice(1), { home: again });
        expect(done.code, done.stderr).toBe(0);
        expect((await examine({ home: again })).row('region').status).toBe('ok');
      }
    });

    it.each([
      [{}, ['--region', 'us'], '--region eu', '--base-url URL'],
      [{ SVC_REGION: 'us' }, [], 'export SVC_REGION=eu', 'export SVC_BASE_URL=URL'],
    ])('%j %j: names where to change it', async (env, flags, region, address) => {
      const service = await startTestService({ region: 'eu' });
      const base = flags.length > 0 ? ['--base-url', service.url] : [];
      const result = await examine({ env: { ...service.env, ...env } }, ...flags, ...base);
      expect(result.row('region').next).toBe(
        `if eu is correct: ${region}\nif us is correct: ask the operator of the service for its address: ${address}`,
      );
    });

    it('shows each correction on a separate line, without wrapping commands', async () => {
      const service = await startTestService({ region: 'eu' });
      const home = tempDir();
      await profile(home, 'a-profile-of-some-length', 'us', service.url);
      await profile(home, 'elsewhere', 'us', 'https://us.service.example');
      const run = await runSvc(['doctor'], { home, columns: 80 });
      const lines = run.stdout
        .replace(/\u001b\[\d+m/g, '')
        .split('\n')
        .map((line) => line.trim());
      expect(lines).toContain('next: if eu is correct:');
      expect(lines).toContain('svc profiles add a-profile-of-some-length --region eu');
      expect(lines).toContain(
        'svc profiles add a-profile-of-some-length --base-url https://us.service.example',
      );
    });
  });

  it('reports a wrong clock', async () => {
    const service = await startTestService();
    const clock = { ...systemClock, now: () => Date.now() + 3600_000 };
    const result = await examine({ env: service.env, clock });
    expect(result.code).toBe(0);
    expect(result.row('clock')).toMatchObject({
      status: 'warn',
      seen: expect.stringMatching(/3\d{3} s ahead/),
    });
  });

  it('works without the cheap read, and warns about a limit that is almost used up', async () => {
    const headers = { 'x-service-ratelimit-limit': 60, 'x-service-ratelimit-remaining': 2 };
    const receiver = await startReceiver((response) => void response.writeHead(404, headers).end());
    onTestFinished(() => receiver.close());
    const result = await examine({ env: elsewhere(receiver.url) });
    expect(result.code).toBe(0);
    expect(result.row('key').status).toBe('skipped');
    expect(result.row('limits')).toMatchObject({ status: 'warn', seen: 'left: reads 2 of 60' });
    expect(receiver.received).toHaveLength(1);
  });

  it('measures decisions only with --probe, and messages no user', async () => {
    const service = await startTestService({ limits: { decisions: 600 } });
    const quiet = await examine({ env: service.env });
    expect(quiet.row('decide')).toBeUndefined();
    const result = await examine({ env: service.env }, '--probe');
    expect(result.row('decide')).toMatchObject({
      seen: expect.stringMatching(/P95 \d+ ms, median \d+ ms over 20 decisions; the target is 100 ms/),
    });
    expect(result.row('limits').seen).toContain('decisions 577 of 600');
  });

  it('prints one row per check on a terminal, with the next step below', async () => {
    const service = await startTestService();
    const run = await runSvc(['doctor'], {
      env: { ...service.env, SVC_API_KEY: 'sk_test_nobody' },
      columns: 80,
    });
    const lines = run.stdout
      .replace(/\u001b\[\d+m/g, '')
      .trim()
      .split('\n');
    expect(lines.map((line) => line.slice(0, 20).trim()).filter((head) => head !== '')).toEqual([
      'ok    configuration',
      'ok    address',
      '-     tls',
      'ok    service',
      'FAIL  key',
      '-     region',
      '-     mode',
      'ok    clock',
      '-     limits',
    ]);
    expect(run.stdout).toMatch(/\n\S* {20}next: the key is from SVC_API_KEY/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('checks local without an address', async () => {
    const result = await examine({}, '--profile', 'local');
    expect(result.code).toBe(0);
    expect(result.row('key').status).toBe('ok');
  });
});
