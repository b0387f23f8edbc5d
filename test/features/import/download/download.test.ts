import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/kit/clock.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../support/peers/certificate.ts';
import { startFileServer } from '../../../support/peers/file-server.ts';
import { runSvc } from '../../../support/process/run-svc.ts';
import { startTestService } from '../../../support/process/service.ts';
import { svcProgram } from '../../../support/process/svc-process.ts';
import { tempDir } from '../../../support/temp.ts';

const lines = (count: number, from = 0) =>
  Buffer.from(
    Array.from(
      { length: count },
      (_, i) =>
        `{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"n":${from + i}}}\n`,
    ).join(''),
  );

/** Waits are short. */
const HASTY: Clock = { now: () => Date.now(), sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) };

/** A machine, a service that counts, and a server with a file. */
async function setting(content = lines(1000), path?: string) {
  const server = await startFileServer(content, path);
  const service = await startTestService();
  const home = tempDir();
  const env = {
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_DATA_DIR: join(home, 'data'),
    ...service.env,
  };
  const run = async (...argv: string[]) => {
    const ran = await runSvc(argv, { home, cwd: home, env, clock: HASTY });
    const end = ran.stdout.startsWith('{') ? JSON.parse(ran.stdout) : {};
    return {
      ...ran,
      accepted: end.accepted as number | undefined,
      skipped: end.skipped as number | undefined,
    };
  };
  const load = (...flags: string[]) => run('events', 'import', server.url, '--json', ...flags);
  return { server, home, env, run, load };
}

test('an address is imported as a file is, and sends nothing while it does not change', async () => {
  const { server, load, home, run } = await setting();
  expect(await load()).toMatchObject({ code: 0, accepted: 1000 });
  expect(await load()).toMatchObject({ code: 0, accepted: 0, skipped: 1000 });
  expect(server.requests.at(-1)).toMatchObject({ 'if-none-match': '"1"' });
  // What was appended is sent alone.
  Object.assign(server, { content: lines(1500), etag: '"2"' });
  expect(await load()).toMatchObject({ code: 0, accepted: 500, skipped: 1000 });
  Object.assign(server, { content: lines(200, 7000), etag: '"3"' });
  expect(await load()).toMatchObject({ code: 0, accepted: 200, skipped: 0 });
  const folder = join(home, 'data', 'downloads');
  const [name] = readdirSync(folder);
  expect(readdirSync(join(folder, name!)).sort()).toEqual(['about.json', 'content']);
  for (const file of ['about.json', 'content'])
    expect(statSync(join(folder, name!, file)).mode & 0o777).toBe(0o600);
  const { imports } = JSON.parse((await run('imports', 'list', '--json')).stdout);
  expect(imports[0].inputs).toEqual([server.url]);
});

test('a server without a version sends all of it again, and nothing of it is imported again', async () => {
  const { server, load } = await setting();
  server.etag = undefined;
  expect(await load()).toMatchObject({ code: 0, accepted: 1000 });
  expect(await load()).toMatchObject({ code: 0, accepted: 0, skipped: 1000 });
  expect(server.requests).toHaveLength(2);
});

test('a lost connection goes on where it was', async () => {
  const { server, load } = await setting();
  Object.assign(server, { drops: 2, dropAfter: 20_000 });
  const run = await load();
  expect(run).toMatchObject({ code: 0, accepted: 1000 });
  expect(run.stderr).toMatch(/was lost \(\w+\); going on at 20\.0 kB in \d s/);
  expect(server.requests.map(({ range }) => range)).toEqual([undefined, 'bytes=20000-', 'bytes=40000-']);
  expect(server.sent).toBe(server.content.length);
});

test('without ranges, or after a change, it begins again and says so', async () => {
  const { server, load } = await setting();
  Object.assign(server, { drops: 1, dropAfter: 20_000, ranges: false });
  const run = await load();
  expect(run).toMatchObject({ code: 0, accepted: 1000 });
  expect(run.stderr).toContain(
    'is downloaded from its beginning again: the server sends it from its beginning only',
  );

  Object.assign(server, { content: lines(300, 5000), etag: '"2"', drops: 1, ranges: true });
  server.answer = (_, response) => {
    server.answer = undefined;
    response.writeHead(200, { 'content-length': '30000', etag: '"old"' });
    response.write(server.content.subarray(0, 9000), () => {
      response.socket!.end();
    });
  };
  server.drops = 0;
  const changed = await load();
  expect(changed).toMatchObject({ code: 0, accepted: 300 });
  expect(changed.stderr).toContain('is downloaded from its beginning again: it changed');
});

test('a server that always ends the file too early is given up', async () => {
  const { server, load, home } = await setting();
  server.answer = (_, response) => {
    response.writeHead(200, { 'content-length': '100000', etag: '"1"' });
    response.write(server.content.subarray(0, 1000), () => {
      response.socket!.end();
    });
  };
  const run = await load('--no-input');
  expect(run).toMatchObject({ code: 6, stdout: '' });
  expect(run.stderr).toContain('cannot be downloaded');
  expect(server.requests).toHaveLength(6);
  expect(readdirSync(join(home, 'data')).includes('imports')).toBe(false);
});

test('a run that was killed goes on, and one that is interrupted ends at once', async () => {
  const { server, env, home, load } = await setting(lines(40_000));
  const program = await svcProgram();
  Object.assign(server, { waits: true, dropAfter: 1_000_000 });
  const started = () => {
    const process_ = program.start(['events', 'import', server.url, '--json'], {
      env: { PATH: process.env.PATH!, ...env },
      cwd: home,
    });
    const folder = join(home, 'data', 'downloads');
    const stored = () => {
      try {
        const [name] = readdirSync(folder);
        return statSync(join(folder, name!, 'content.part')).size;
      } catch {
        return 0;
      }
    };
    return { process_, stored };
  };
  const first = started();
  await expect.poll(first.stored).toBe(1_000_000);
  first.process_.child.kill('SIGKILL');
  await first.process_.ended;

  const second = started();
  await expect.poll(() => server.requests.length).toBe(2);
  await expect.poll(second.stored).toBeGreaterThanOrEqual(1_000_000);
  second.process_.child.kill('SIGINT');
  const ended = await second.process_.ended;
  expect(ended).toMatchObject({ code: 130, stdout: '' });
  expect(JSON.parse(ended.stderr.trim().split('\n').at(-1)!)).toMatchObject({
    error: { code: 'interrupted', message: expect.stringContaining('are kept') },
  });

  server.waits = false;
  expect(await load()).toMatchObject({ code: 0, accepted: 40_000 });
  const from = Number(/\d+/.exec(server.requests.at(-1)!.range ?? '0')?.[0]);
  expect(from).toBeGreaterThanOrEqual(1_000_000);
});

test('an unfinished import goes on with the file that it read', async () => {
  const { server, load } = await setting(Buffer.concat([lines(1000), Buffer.from('{}\n'), lines(1000)]));
  expect(await load('--fail-fast')).toMatchObject({ code: 7 });
  Object.assign(server, { content: lines(10), etag: '"2"' });
  expect(await load('--resume')).toMatchObject({ code: 0, accepted: 1000, skipped: 1001 });
  expect(server.requests).toHaveLength(1);
});

test('a disk that is full is a clear error, and what arrived is kept', async () => {
  const { server, env, home, load } = await setting(lines(20_000));
  const program = await svcProgram();
  const { ended } = program.start(['events', 'import', server.url], {
    env: { PATH: process.env.PATH!, ...env },
    cwd: home,
    shell: 'ulimit -f 1000; exec "$@"',
  });
  expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('no space is left in') });
  expect(await load()).toMatchObject({ code: 0, accepted: 20_000 });
});

test('the type is told by the path or the Content-Type, and compression by the content', async () => {
  const csv = Buffer.from('userId,event,timestamp\nu,e,2026-01-31T12:00:00Z\n');
  for (const [content, path, type] of [
    [csv, '/export?format=csv', 'text/csv; charset=utf-8'],
    [gzipSync(csv), '/day.csv.gz', 'application/octet-stream'],
    [lines(1), '/v1/dump', undefined],
  ] as const) {
    const { server, load } = await setting(content, path);
    server.contentType = type;
    expect(await load()).toMatchObject({ code: 0, accepted: 1 });
  }
});

test('rejects are written in the current folder', async () => {
  const { server, load, home } = await setting(Buffer.from('{"userId":""}\n'), '/a/day%201.ndjson?x=1');
  expect(await load('--no-preflight')).toMatchObject({ code: 7 });
  const rejects = readFileSync(join(home, 'day_1.ndjson.rejects.ndjson'), 'utf8');
  expect(JSON.parse(rejects)).toMatchObject({ file: server.url, line: 1 });
});

test('an address is followed to no other host, and every other answer is an error that says why', async () => {
  const { server, load } = await setting();
  const answers = async (status: number, headers: Record<string, string>, body = '') => {
    server.answer = (_, response) => void response.writeHead(status, headers).end(body);
    return load();
  };
  expect(await answers(302, { location: 'https://else.example.com/x?sig=1' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('redirects to another host, https://else.example.com, which'),
  });
  expect(await answers(302, { location: '/loop' })).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('more than 5 redirects'),
  });
  expect(await answers(404, {})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no such file'),
  });
  expect(await answers(403, {})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('access is denied'),
  });
  expect(await answers(200, { 'content-type': 'text/html' }, '<html>')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a web page (HTML)'),
  });
  expect(await answers(200, { 'content-encoding': 'br' }, 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is sent with the encoding br'),
  });
  let failures = 2;
  server.answer = (_, response) => {
    if (failures-- > 0) return void response.writeHead(503, { 'retry-after': '0' }).end();
    server.answer = undefined;
    response.writeHead(302, { location: '/elsewhere' }).end();
  };
  expect(await load()).toMatchObject({ code: 0, accepted: 1000 });
});

test('no secret of an address is shown or stored', async () => {
  const { server, run, home } = await setting();
  const { host } = new URL(server.url);
  const withUser = await run('events', 'import', `http://me:s3cret@${host}/x.csv`);
  expect(withUser).toMatchObject({ code: 2, stderr: expect.stringContaining('with a user or a password') });
  expect(withUser.stderr).not.toContain('s3cret');

  const signed = (signature: string) =>
    `${server.url}?day=1&X-Amz-Date=${signature}d&X-Amz-Signature=${signature}`;
  expect(await run('events', 'import', signed('aaa111'), '--json')).toMatchObject({
    code: 0,
    accepted: 1000,
  });
  // Signed again, it is the same object.
  const again = await run('events', 'import', signed('bbb222'), '--json');
  expect(again).toMatchObject({ code: 0, accepted: 0 });
  expect(again.stderr).toContain('?day=1 was sent');
  server.answer = (_, response) => void response.writeHead(403).end();
  const denied = await run('events', 'import', signed('ccc333'));
  const shown = again.stderr + denied.stderr + (await run('imports', 'list', '--json')).stdout;
  expect(shown).not.toMatch(/aaa111|bbb222|ccc333/);
  const stored = readdirSync(join(home, 'data'), { recursive: true, withFileTypes: true });
  for (const file of stored.filter((entry) => entry.isFile()))
    expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toMatch(/aaa111|bbb222/);
});

test('plain http is for this machine only', async () => {
  const { run } = await setting();
  expect(await run('events', 'import', 'http://example.com/x.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('https://example.com/x.csv'),
  });
});

test('a certificate that is not trusted is an error at once', async () => {
  const { run } = await setting();
  const https = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (_, response) =>
    response.end('{}'),
  );
  await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void https.close());
  const failed = await run(
    'events',
    'import',
    `https://127.0.0.1:${(https.address() as AddressInfo).port}/x.csv`,
  );
  expect(failed).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/certificate.*\n.*NODE_EXTRA_CA_CERTS/),
  });
});
