import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifyBody } from '../../../src/contract/signature.ts';
import { startHandler } from '../../support/listen/handler-process.ts';
import { startTarget } from '../../support/listen/target.ts';
import { ROOT, runSvc, startSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const SECRET = '7d0c1f4be2a95836c47b1e60f8d2a3957d0c1f4be2a95836c47b1e60f8d2a395';
const env = { SVC_WEBHOOK_SECRET: SECRET };

async function target(...args: Parameters<typeof startTarget>) {
  const started = await startTarget(...args);
  onTestFinished(() => started.close());
  return started;
}

async function handler(command: string, script: string) {
  const started = await startHandler(command, [join(ROOT, script)], SECRET);
  onTestFinished(() => started.stop());
  return started.url.href;
}

it('send signs a delivery with the fields of --set, and prints the answer of the handler', async () => {
  const to = await target();
  const fields = ['--set', 'contentId=summer', '--set', 'decisionId:=null'];
  const run = await runSvc(['webhooks', 'send', 'decision.actioned', '--to', to.url, ...fields, '--json'], {
    env,
  });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout)).toMatchObject({ kind: 'decision.actioned', status: 200, body: '{}' });
  const [got] = to.received;
  expect(JSON.parse(got!.body.toString())).toMatchObject({
    type: 'decision.actioned',
    contentId: 'summer',
    decisionId: null,
  });
  expect(verifyBody(got!.body, SECRET, String(got!.headers['x-service-signature']))).toBe(true);
});

it('send accepts its kind after a field', async () => {
  const to = await target();
  const run = await runSvc(
    ['webhooks', 'send', '--to', to.url, '--set', 'a=b', 'campaign.opened', '--json'],
    { env },
  );
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(to.received[0]!.body.toString())).toMatchObject({ type: 'campaign.opened', a: 'b' });
});

it('send does not change the bytes of --input, and warns about an unknown kind', async () => {
  const to = await target();
  const bytes = Buffer.from([0x7b, 0xff, 0x0a]);
  const run = await runSvc(['webhooks', 'send', 'brand.new', '--to', to.url, '--input', '-'], {
    env,
    stdin: bytes,
  });
  expect(run.code).toBe(0);
  expect(run.stderr).toContain('brand.new');
  expect(to.received[0]!.body.equals(bytes)).toBe(true);
});

it.each([
  [401, 5],
  [302, 5],
  [500, 6],
])('send to a handler that answers %i exits %i', async (status, code) => {
  const to = await target((_, response) => response.writeHead(status).end());
  const run = await runSvc(['webhooks', 'send', 'campaign.opened', '--to', to.url], { env });
  expect(run.code).toBe(code);
  expect(run.stderr).toMatch(/next: .*webhooks test/);
});

it('send exits 6 where nothing listens, and 2 for an invalid URL', async () => {
  const gone = await startTarget();
  await gone.close();
  expect((await runSvc(['webhooks', 'send', 'campaign.opened', '--to', gone.url], { env })).code).toBe(6);
  expect((await runSvc(['webhooks', 'send', 'campaign.opened', '--to', 'ftp://x'], { env })).code).toBe(2);
  expect((await runSvc(['webhooks', 'send', 'x.y', '--to', '1', '--set', 'nope'], { env })).code).toBe(2);
  expect((await runSvc(['webhooks', 'test', gone.url], { env })).code).toBe(6);
});

it('test identifies the JSON parser of express as the mistake, and exits 5', async () => {
  const url = await handler(process.execPath, 'test/support/listen/handlers/express-json.mjs');
  const run = await runSvc(['webhooks', 'test', url], { env });
  expect(run.code).toBe(5);
  expect(run.stdout).toMatch(/^other spelling(, .+)? \(re-serialised-body\): .*\n {2}Node .*express\.raw/m);
  expect(run.stdout.match(/the handler makes a known mistake/g)).toHaveLength(1);
  const json = await runSvc(['webhooks', 'test', url, '--json'], { env });
  expect(json.code).toBe(5);
  const report = JSON.parse(json.stdout);
  expect(report).toMatchObject({ failed: 1, passed: report.rows.length - 1 });
  const names = report.rows.map(({ name }: { name: string }) => name);
  for (const name of 'valid,tampered,wrong secret,missing signature,repeated delivery,out of order'.split(
    ',',
  )) {
    expect(names).toContain(name);
  }
  for (const name of ['unknown kind', 'large', 'slow']) expect(names).toContain(name);
});

it.each([
  [process.execPath, 'examples/handlers/node/server.mjs'],
  ['python3', 'examples/handlers/python/server.py'],
])('test passes a correct handler: %s %s', async (command, script) => {
  const run = await runSvc(['webhooks', 'test', await handler(command, script)], { env });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).not.toContain('✗');
});

it('replay sends what listen recorded at 10 times the speed, signed with another secret', async () => {
  const cwd = tempDir();
  const record = ['--record', 'd.ndjson', '--count', '3'];
  const listening = startSvc(['webhooks', 'listen', '--port', '0', '--json', ...record], { env, cwd });
  const { url } = JSON.parse((await listening.waitFor(/^.+\n/))[0]);
  const kinds = ['campaign.clicked', 'campaign.opened', 'decision.actioned'];
  for (const kind of kinds) {
    expect((await runSvc(['webhooks', 'send', kind, '--to', url], { env })).code).toBe(0);
  }
  expect((await listening.done).code).toBe(0);
  expect(readFileSync(join(cwd, 'd.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(3);

  const other = { SVC_WEBHOOK_SECRET: 'another secret, of 16 characters and more' };
  const again = startSvc(['webhooks', 'listen', '--port', '0', '--json', '--count', '3'], { env: other });
  const to = JSON.parse((await again.waitFor(/^.+\n/))[0]).url;
  const fast = ['--speed', '10', '--re-sign', '--json'];
  const replayed = await runSvc(['webhooks', 'replay', 'd.ndjson', '--to', to, ...fast], { env: other, cwd });
  expect(replayed.code).toBe(0);
  const lines = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  expect(lines(replayed.stdout).map(({ kind }) => kind)).toEqual(kinds);
  const events = lines((await again.done).stdout).slice(1);
  expect(events).toHaveLength(3);
  for (const event of events) expect(event).toMatchObject({ type: 'event', verified: true });

  // Without --re-sign, only the first secret verifies.
  const asRecorded = await target(({ body, headers }, response) => {
    response.statusCode = verifyBody(body, SECRET, String(headers['x-service-signature'])) ? 200 : 401;
    response.end();
  });
  const plain = ['webhooks', 'replay', 'd.ndjson', '--to', asRecorded.url, '--speed', 'max'];
  expect((await runSvc(plain, { cwd })).code).toBe(0);
});

it('replay exits 7 where some deliveries fail, 5 where all do, and 2 without a recording', async () => {
  const cwd = tempDir();
  const line = (body: string) =>
    JSON.stringify({
      receivedAt: '2026-01-31T12:00:00Z',
      headers: {},
      body: Buffer.from(body).toString('base64'),
    });
  writeFileSync(join(cwd, 'two'), `${line('200')}\n\n${line('400')}\n`);
  writeFileSync(join(cwd, 'bad'), `${line('200')}\nnonsense\n`);
  writeFileSync(join(cwd, 'none'), `${line('400')}\n`);
  writeFileSync(join(cwd, 'empty'), '');
  const to = await target(({ body }, response) => response.writeHead(Number(body.toString())).end());
  const replay = (file: string, ...more: string[]) =>
    runSvc(['webhooks', 'replay', file, '--to', to.url, ...more], { cwd });
  expect((await replay('two')).code).toBe(7);
  const bad = await replay('bad');
  expect(bad.code).toBe(7);
  expect(bad.stderr).toContain('bad:2 is not JSON');
  expect((await replay('none')).code).toBe(5);
  for (const file of ['empty', 'missing', '.']) expect((await replay(file)).code, file).toBe(2);
  expect((await replay('two', '--speed', '0')).code).toBe(2);
  expect((await replay('two', '--re-sign')).code).toBe(4);
});

it('replay reports a file that is not a recording with one error and no warnings', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'notes'), 'nonsense\n'.repeat(3));
  writeFileSync(join(cwd, 'long'), 'nonsense\n'.repeat(2000));
  const to = await target();
  for (const file of ['notes', 'long']) {
    const run = await runSvc(['webhooks', 'replay', file, '--to', to.url], { cwd });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(
      new RegExp(`^error: ${file} is not a recording: line 1 is not JSON\n {2}next: .*\n$`),
    );
  }
  expect(to.received).toEqual([]);
});

it('replay stops at a line that is too long for a delivery, in a file and in a pipe', async () => {
  const cwd = tempDir();
  const good = `${JSON.stringify({ receivedAt: '2026-01-31T12:00:00Z', headers: {}, body: '' })}\n`;
  const long = 'x'.repeat(5 * 1024 * 1024);
  writeFileSync(join(cwd, 'long'), good + long);
  const to = await target();
  const replay = ['webhooks', 'replay', '--to', to.url];
  const file = await runSvc([...replay, 'long'], { cwd });
  expect(file).toMatchObject({ code: 2, stdout: expect.stringContaining('200') });
  expect(file.stderr).toContain('long:2 is longer than 4 MiB');
  expect(file.stderr).toContain('sed -i.bak 2d long');
  const pipe = await runSvc([...replay, '-'], { cwd, stdin: long });
  expect(pipe).toMatchObject({ code: 2, stdout: '' });
  expect(pipe.stderr).toContain('- is not a recording: line 1 is longer than 4 MiB');
});

it('replay also warns about unreadable lines before the first delivery', async () => {
  const cwd = tempDir();
  const good = JSON.stringify({ receivedAt: '2026-01-31T12:00:00Z', headers: {}, body: '' });
  writeFileSync(join(cwd, 'damaged'), `cut off\n[]\n${good}\n`);
  const to = await target();
  const run = await runSvc(['webhooks', 'replay', 'damaged', '--to', to.url], { cwd });
  expect(run.code).toBe(7);
  expect(run.stderr).toContain('damaged:1 is not JSON');
  expect(run.stderr).toContain('damaged:2 is not a JSON object');
  expect(to.received).toHaveLength(1);
});
