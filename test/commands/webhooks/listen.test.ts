import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { signBody } from '../../../src/contract/signature.ts';
import { BODY, click, EVENT, env, listen, post, SECRET } from '../../support/listen/listen-command.ts';
import { startTarget } from '../../support/listen/target.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

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
    { verified: true, forwarded: { status: 500, ok: false } },
    { verified: true, forwarded: { status: 502, ok: false } },
    { verified: true, forwarded: { status: 502, ok: false } },
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
  expect(run.stderr).toContain(`port ${port} on 127.0.0.1 is in use`);
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
