import { request } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { openAccounts } from '../../../../src/service/admin/admin.ts';
import { content, identify, open } from '../../../support/process/decisions-service.ts';

test('a frozen workspace answers nothing and does nothing until it is opened', async () => {
  const service = await open();
  await service.send('PUT', '/v1/catalog', { catalog: { contents: [content('a')] } });
  const hashId = await identify(service, { userId: 'u', emails: ['u@x.example'] });
  await expect.poll(() => service.idle()).toBe(true);
  const accounts = await openAccounts(service.database, systemClock);
  await accounts.freezeWorkspace(service.workspace);
  for (const [method, path, body] of [
    ['GET', '/v1/decisions', undefined],
    ['POST', '/v1/events', { events: [{ userId: 'u', event: 'e', timestamp: '2026-11-20T10:00:00Z' }] }],
    ['POST', '/v1/decisioning/decide', { hashId, context: { channel: 'in-app' } }],
  ] as const) {
    const answer = await service.send(method, path, body);
    expect(answer.status, path).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
  }
  // A worker leaves what is due of it.
  await service.platform.store.write((tx) =>
    tx.sql.run("INSERT INTO due (workspace_id, lane, due_at, due_id) VALUES (?, 'erase', 0, 'due_test')", [
      service.workspace,
    ]),
  );
  const left = () =>
    service.platform.store.read((tx) =>
      tx.sql.all("SELECT 1 AS one FROM due WHERE workspace_id = ? AND due_id = 'due_test'", [
        service.workspace,
      ]),
    );
  await expect.poll(() => service.idle()).toBe(true);
  expect(await left()).toHaveLength(1);
  await accounts.openWorkspace(service.workspace);
  await accounts.close();
  await expect.poll(async () => (await left()).length).toBe(0);
  expect((await service.send('GET', '/v1/decisions')).status).toBe(200);
});

test('a request whose body comes after the freeze is refused, although its key was accepted before', async () => {
  const service = await open();
  await service.send('PUT', '/v1/catalog', { catalog: { contents: [content('a')] } });
  const hashId = await identify(service, { userId: 'u', emails: ['u@x.example'] });
  const accounts = await openAccounts(service.database, systemClock);
  const late = [
    ['/v1/events', { events: [{ userId: 'late', event: 'e', timestamp: '2026-11-20T10:00:00Z' }] }],
    ['/v1/users', { users: [{ userId: 'late' }] }],
    ['/v1/decisioning/decide', { hashId, context: { channel: 'in-app' } }],
    [`/v1/users/${hashId}/consent`, { optOut: ['*'] }],
  ] as const;
  const begun = late.map(([path, body], i) => {
    const text = JSON.stringify(body);
    const sending = request(service.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        'x-service-workspace': service.workspace,
        'content-type': 'application/json',
        'content-length': text.length,
        // With a key and without one.
        ...(i % 2 === 0 && { 'idempotency-key': `late-${i}` }),
      },
    });
    const answered = new Promise<number>((resolve, reject) =>
      sending.on('error', reject).on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      }),
    );
    sending.write(text.slice(0, -2));
    return { end: () => sending.end(text.slice(-2)), answered };
  });
  // Their keys are looked up as soon as their headers arrive.
  await expect.poll(async () => (await service.send('GET', '/v1/decisions')).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await accounts.freezeWorkspace(service.workspace);
  for (const { end } of begun) end();
  expect(await Promise.all(begun.map(({ answered }) => answered))).toEqual(late.map(() => 503));
  const stored = await service.platform.store.read(({ sql }) =>
    sql.all("SELECT 1 AS one FROM event WHERE workspace_id = ? AND user_id = 'late'", [service.workspace]),
  );
  expect(stored).toEqual([]);
  await accounts.close();
});
