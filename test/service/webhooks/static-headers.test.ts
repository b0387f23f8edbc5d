import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifyBody } from '../../../src/contract/signature.ts';
import { contentsOf } from '../../support/postgres/database.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import {
  json,
  knownUser,
  receiver,
  secret,
  start,
  subscribe,
  tap,
} from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';

const KEY = 'key-of-the-gateway-1f9c';

it('sends static headers, keeps them sealed, and answers only with their names', async () => {
  const service = await start();
  const target = await receiver();
  const headers = { 'X-Gateway-Key': KEY, Authorization: `Basic ${KEY}` };
  const made = await subscribe(service, target.url, { headers });
  expect(made.headers).toEqual(['X-Gateway-Key', 'Authorization']);
  const path = `/v1/webhooks/${made.id}`;
  const patch = (body: unknown, status = 200) => json(service.fetch(path, { method: 'PATCH', body }), status);
  const hashId = await knownUser(service);
  const sent = async (n: number) => {
    await tap(service, hashId);
    return (await target.waitFor(n))[n - 1]!;
  };
  const first = await sent(1);
  expect(first.headers).toMatchObject({ 'x-gateway-key': KEY, authorization: `Basic ${KEY}` });
  expect(verifyBody(first.body, secret, first.headers['x-service-signature']!)).toBe(true);
  const answers = [
    await json(service.fetch('/v1/webhooks'), 200),
    await json(service.fetch(path), 200),
    made,
  ];
  answers.push(await patch({ description: 'of the gateway' }));
  expect(JSON.stringify(answers)).not.toContain(KEY);
  expect(await contentsOf(service.database)).not.toContain(KEY);
  expect((await sent(2)).headers['x-gateway-key']).toBe(KEY);

  expect((await patch({ headers: { 'X-Tenant': 'acme' } })).headers).toEqual(['X-Tenant']);
  const third = await sent(3);
  expect(third.headers['x-tenant']).toBe('acme');
  expect(third.headers).not.toHaveProperty('x-gateway-key');
  expect(await patch({ headers: {} })).not.toHaveProperty('headers');
  expect((await sent(4)).headers).not.toHaveProperty('x-tenant');
});

it.each([
  ['Host', 'x', 'that the service or the connection sets'],
  ['content-LENGTH', '0', 'that the service or the connection sets'],
  ['Transfer-Encoding', 'chunked', 'that the service or the connection sets'],
  ['webhook-signature', 'v1,x', 'that the service or the connection sets'],
  ['X-Service-Signature', 'x', 'that the service or the connection sets'],
  ['traceparent', 'x', 'that the service or the connection sets'],
  ['Proxy-Authorization', 'x', 'that the service or the connection sets'],
  ['X Gateway', 'x', 'is not a name of a header'],
  ['', 'x', 'is not a name of a header'],
  ['X-Key', `a\r\nX-Other: ${KEY}`, 'printable ASCII'],
  ['X-Key', `é${KEY}`, 'printable ASCII'],
  ['X-Key', ` ${KEY}`, 'printable ASCII'],
])('refuses the header %j', async (name, value, message) => {
  const service = await start();
  const target = await receiver();
  const answer = await subscribeStatus(service, target.url, { [name]: value });
  expect(answer).toMatchObject({
    details: [{ field: `headers.${name}`, message: expect.stringContaining(message) }],
  });
  expect(JSON.stringify(answer)).not.toContain(KEY);
});

it('bounds the headers', async () => {
  const service = await start();
  const target = await receiver();
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-${i}`, 'x']));
  for (const headers of [many, { 'X-A': 'x'.repeat(5000) }, { 'X-A': 'x', 'x-a': 'y' }, { 'X-A': '' }, 'x'])
    await subscribeStatus(service, target.url, headers);
});

it('reads headers from a file or standard input, and shows a value nowhere', async () => {
  const service = await start();
  const target = await receiver();
  const folder = tempDir();
  const file = join(folder, 'headers.txt');
  writeFileSync(file, `X-Gateway-Key: ${KEY}\r\n\r\nX-Tenant:acme \n`);
  const run = (words: string[], stdin = '') =>
    runSvc(['webhooks', ...words], { env: service.env, cwd: folder, stdin });
  const create = ['create', '--url', target.url, '--event', 'campaign.clicked', '--json'];
  const made = await run([...create, '--header-file', 'headers.txt', '--debug']);
  expect(made.code, made.stderr).toBe(0);
  expect(made.stdout + made.stderr).not.toContain(KEY);
  const { id, headers } = JSON.parse(made.stdout);
  expect(headers).toEqual(['X-Gateway-Key', 'X-Tenant']);
  await tap(service, await knownUser(service));
  expect((await target.waitFor(1))[0]!.headers).toMatchObject({ 'x-gateway-key': KEY, 'x-tenant': 'acme' });
  const shown = await run(['get', id]);
  expect(shown.stdout).toMatch(/^headers +X-Gateway-Key, X-Tenant$/m);
  expect(shown.stdout).not.toContain(KEY);

  const renewed = await run(['update', id, '--header-file', '-', '--json'], `X-Other: ${KEY}\n`);
  expect(JSON.parse(renewed.stdout).headers).toEqual(['X-Other']);
  for (const [input, line] of [
    [KEY, 'line 1'],
    [`X-A: 1\nX-B ${KEY}`, 'line 2'],
    [`X-A: 1\nx-a: ${KEY}`, 'line 2'],
    [`X-A: ${'x'.repeat(20_000)}`, 'larger than'],
  ] as const) {
    const bad = await run(['update', id, '--header-file', '-'], input);
    expect({ code: bad.code, stderr: bad.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(line),
    });
    expect(bad.stderr).not.toContain(KEY);
  }
  const ours = await run(['update', id, '--header-file', '-'], `Host: ${KEY}\n`);
  expect(ours.code).not.toBe(0);
  expect(ours.stderr).toContain('headers.Host');
  expect(ours.stderr).not.toContain(KEY);
  const twice = await run([...create, '--header-file', '-', '--secret-file', '-'], KEY);
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input') });
  expect((await run(['update', id, '--header-file', 'none.txt'])).stderr).toMatch(/none.txt/);
  const empty = await run(['update', id, '--header-file', '-'], '\n');
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input has no headers') });
  writeFileSync(join(folder, 'empty.txt'), '');
  const none = await run(['update', id, '--header-file', 'empty.txt', '--json']);
  expect(JSON.parse(none.stdout)).not.toHaveProperty('headers');
  const typed = await run(['update', id, '--header', 'X-Tenant=shop', '--header', 'X-Team: a b', '--json']);
  expect(JSON.parse(typed.stdout)).toMatchObject({ headers: ['X-Tenant', 'X-Team'] });
  expect(typed.stderr).toContain('--header-file');
  const odd = await run(['update', id, '--header', KEY]);
  expect(odd).toMatchObject({ code: 2 });
  expect(odd.stderr).not.toContain(KEY);
});

const subscribeStatus = (service: Awaited<ReturnType<typeof start>>, url: string, headers: unknown) =>
  json(
    service.fetch('/v1/webhooks', {
      body: { url, events: ['campaign.clicked'], signingSecret: secret, headers },
    }),
    400,
  );
