import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runServe } from '../support/process/run-serve.ts';
import { runSvc, startSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

it('reports that it is ready, serves, and exits with 0 on an interrupt', async () => {
  const { ready, post, stop } = await runServe();
  expect(ready).toMatchObject({
    ready: true,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: process.pid,
  });
  const events = [{ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' }];
  const answer = await post('/v1/events', { events });
  expect(answer.status).toBe(202);
  expect((await stop()).code).toBe(0);
});

it.each([[[]], [['--profile', 'local']]])(
  'prints a command for a live workspace that runs: serve %j',
  async (flags) => {
    const home = tempDir();
    const svc = startSvc(['serve', '--port', '0', ...flags], { home });
    await svc.waitFor(/stop with/);
    svc.interrupt();
    const printed = /for a live one: svc (.*)/.exec((await svc.done).stdout)?.[1];
    expect(printed).toBe('workspaces create --mode live --profile local');
    expect(await runSvc([...printed!.split(' '), '--json'], { home })).toMatchObject({ code: 0 });
  },
);

it('reports settings stored by an earlier start, and how to restore the defaults', async () => {
  const home = tempDir();
  const serve = async (...flags: string[]) => {
    const svc = startSvc(['serve', '--port', '0', ...flags], { home });
    await svc.waitFor(/stop with/);
    svc.interrupt();
    return (await svc.done).stderr;
  };
  expect(await serve('--limit', 'ingest=20', '--limit', 'reads=off', '--window', '10s')).not.toContain(
    'kept',
  );
  expect(await serve('--limit', 'reads=60')).toContain(
    'settings stored with this data: --limit ingest=20 --window 10s; to restore the defaults, stop and run: ' +
      'svc serve --port 0 --limit reads=60 --limit ingest=600 --window 60s\n',
  );
  expect(await serve('--limit', 'ingest=600', '--window', '60s')).not.toContain('kept');
  expect(await serve()).not.toContain('kept');
});

it('warns of a limit above the hard ceiling, and not of one at it', async () => {
  const serve = async (...flags: string[]) => {
    const svc = startSvc(['serve', '--port', '0', ...flags]);
    await svc.waitFor(/stop with/);
    svc.interrupt();
    return (await svc.done).stderr;
  };
  expect(await serve('--limit', 'reads=301')).toContain(
    'the limit of reads is 301 per 60 s, above the hard ceiling of 300 per minute, which only enterprise tiers exceed; to stay below it, use --limit reads=300',
  );
  expect(await serve('--limit', 'reads=60', '--window', '6s')).toContain('use --limit reads=30');
  expect(await serve('--limit', 'reads=300', '--limit', 'ingest=off')).not.toContain('ceiling');
  const exec = await runSvc(['serve', 'exec', '--limit', 'webhooks=121', '--', process.execPath, '-e', '0']);
  expect(exec).toMatchObject({ code: 0, stderr: expect.stringContaining('hard ceiling of 120') });
});

it.each(['192.0.2.1', 'no-such-host.invalid'])(
  'refuses %s, which is no address of this machine',
  async (host) => {
    const run = await runSvc(['serve', '--port', '0', '--host', host, '--json']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    const { error } = JSON.parse(run.stderr);
    expect(error).toMatchObject({
      code: 'usage',
      hint: expect.stringMatching(/^use an address of this machine: svc serve .*--host 127\.0\.0\.1$/),
    });
    expect(error.message).toContain(`cannot listen on ${host}`);
  },
);

it.each([
  ['--port', 'svc serve --port 0'],
  ['--metrics-port', 'svc serve --port 0 --metrics-port 0'],
])('names the port in use, and the flag to change it: %s', async (flag, next) => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const argv = ['serve', ...(flag === '--port' ? [] : ['--port', '0']), flag, String(port)];
  const { code, stderr } = await runSvc(argv, { home: tempDir() });
  expect([code, stderr]).toEqual([
    2,
    `error: port ${port} on 127.0.0.1 is in use\n  next: stop the process that listens there (fuser -v ${port}/tcp), or use a free port: ${next}\n`,
  ]);
});

describe('where the data is kept', () => {
  it.each([
    ['serve', '--port', '0'],
    ['serve', 'migrate'],
  ])('svc %s %s: makes no folder that is not its own, and says how to', async (...words) => {
    const home = tempDir();
    const file = join(home, 'a typo', 'deep', 'x.db');
    for (const database of [file, `file://${file.replace(' ', '%20')}`]) {
      const run = await runSvc([...words, '--database', database], { home });
      expect(run).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: no such folder: ${dirname(file)}\n  next: mkdir -p '${dirname(file)}'\n`,
      });
    }
    const byVariable = await runSvc(words, { home, env: { SVC_DATABASE_URL: file } });
    expect(byVariable.code).toBe(2);
    expect(readdirSync(home)).toEqual([]);
    mkdirSync(dirname(file), { recursive: true });
    expect((await runSvc(['serve', 'migrate', '--database', file], { home })).code).toBe(0);
  });

  it('is a folder for the owner only, or the configured one', async () => {
    const home = tempDir();
    expect((await runSvc(['serve', 'migrate'], { home })).code).toBe(0);
    expect(statSync(join(home, 'data')).mode & 0o777).toBe(0o700);
    const other = join(tempDir(), 'new', 'data');
    const named = ['serve', 'migrate', '--database', join(other, 'other.db')];
    expect((await runSvc(named, { home, env: { SVC_DATA_DIR: other } })).code).toBe(0);
    expect(statSync(other).mode & 0o777).toBe(0o700);
  });
});

it.each(['0.0.0.0', '::'])(
  'on all addresses (%s): prints a URL that svc accepts, and the requirements of remote clients',
  async (host) => {
    const svc = startSvc(['serve', '--port', '0', '--host', host]);
    await svc.waitFor(/stop with/);
    const text = svc.stdout();
    const exported = Object.fromEntries(
      [...text.matchAll(/(SVC_\w+)=('?)(\S+)\2(?=\s)/g)].map(([, name, , value]) => [name, value]),
    );
    expect(text.split('\n')[0]).toMatch(/^serving on all addresses of this machine, port \d+$/);
    expect(svc.stderr()).toMatch(/other machines.*https.*TLS/);
    const sent = await runSvc(['events', 'send', '--user-id', 'u', '--event', 'e'], { env: exported });
    expect(sent, sent.stderr).toMatchObject({ code: 0 });
    svc.interrupt();
    expect((await svc.done).code).toBe(0);
    const { env, stop } = await runServe(['--host', host]);
    expect((await runSvc(['webhooks', 'list'], { env })).code).toBe(0);
    await stop();
  },
);
