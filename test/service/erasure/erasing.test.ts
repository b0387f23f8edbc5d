import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { erasures } from '../../../src/service/erasure/store.ts';
import { eventHeads } from '../../../src/service/events/store/event-heads.ts';
import { due } from '../../../src/service/platform/store/due.ts';
import { copiesIn } from '../../support/erasure/erased-store.ts';
import { contentsOf, onPostgres } from '../../support/postgres/database.ts';
import { outsider } from '../../support/postgres/row-lock.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { settled } from '../../support/process/test-clock.ts';
import { tempDir } from '../../support/temp.ts';

const ERASED = 'quill.returning@erased-mail.example';
const eventOf = (userId: string) => ({ userId, event: 'seen', timestamp: '2026-01-01T00:00:00Z' });

async function json(response: Promise<Response>) {
  const answer = await response;
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

/** A service with a user whose erasure has begun and goes on when `release` is called. */
async function erasing() {
  const service = await startTestService({ testClock: true });
  const { store, cipher } = service.platform;
  const { workspace } = service;
  const users = [{ userId: ERASED, name: 'Quill' }, { userId: 'other' }];
  const known = await json(service.fetch('/v1/users', { body: { users } }));
  const { hashId } = known.body.users[0];
  await store.write(async (tx) => {
    await erasures.start(tx, cipher, workspace, hashId);
    await tx.sql.run('UPDATE erasure SET due_at = ? WHERE workspace_id = ?', [tx.now + 3_600_000, workspace]);
    await due.clear(tx, workspace, 'erase');
  });
  const release = () =>
    store.write(async (tx) => {
      await tx.sql.run('UPDATE erasure SET due_at = 0 WHERE workspace_id = ?', [workspace]);
      await due.mark(tx, workspace, 'erase');
      await tx.notify('erasures');
    });
  return { service, hashId, release };
}

const rowsOf = (service: TestService, sql: string, params: string[]) =>
  service.platform.store.read((tx) => tx.sql.all(sql, [service.workspace, ...params]));
const eventsOf = (service: TestService, userId: string) =>
  rowsOf(service, 'SELECT number FROM event WHERE workspace_id = ? AND user_id = ?', [userId]);

test('nothing is stored for a user who is being erased, and the others of a batch are', async () => {
  const { service, hashId, release } = await erasing();
  const post = (path: string, body: unknown) => json(service.fetch(path, { body }));
  const status = async () => (await json(service.fetch(`/v1/users/${hashId}`))).body.status;

  const events = Array.from({ length: 1000 }, (_, i) => eventOf(i === 500 ? ERASED : 'other'));
  expect(await post('/v1/events', { events })).toMatchObject({ status: 202, body: { accepted: 1000 } });
  expect(await eventsOf(service, ERASED)).toEqual([]);
  expect(await eventsOf(service, 'other')).toHaveLength(999);

  const users = [{ userId: 'third' }, { userId: ERASED, name: 'Quill again' }];
  expect(await post('/v1/users', { users })).toMatchObject({
    status: 400,
    body: { details: [{ index: 1, field: 'userId', message: expect.stringContaining('is being erased') }] },
  });
  expect((await post('/v1/users', { users: [{ userId: 'third' }] })).status).toBe(200);
  expect((await post(`/v1/users/${hashId}/consent`, { optOut: ['sms'] })).status).toBe(404);
  const trigger = { hashId, templateId: 'welcome', channel: 'sms' };
  expect((await post('/v1/inform/trigger', trigger)).status).toBe(404);
  const context = { channel: 'in-app', surface: 'home' };
  expect((await post('/v1/decisioning/decide', { hashId, context })).status).toBe(200);
  expect(await status()).toBe('erasing');

  // Imports that run at the time.
  const folder = tempDir();
  const file = (name: string, records: object[]) => {
    writeFileSync(join(folder, name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return join(folder, name);
  };
  const seen = [ERASED, 'other', ERASED].map(eventOf);
  const imported = await runSvc(['events', 'import', file('events.ndjson', seen)], { env: service.env });
  expect(imported.code, imported.stderr).toBe(0);
  expect(await eventsOf(service, ERASED)).toEqual([]);
  expect(await eventsOf(service, 'other')).toHaveLength(1000);
  const people = [{ userId: 'fourth' }, { userId: ERASED }, { userId: 'fifth' }];
  const path = file('users.ndjson', people);
  const refused = await runSvc(['users', 'import', path], { env: service.env });
  expect(refused.code, refused.stderr).toBe(7);
  const rejects = readdirSync(folder).find((name) => name.includes('rejects'))!;
  expect(readFileSync(join(folder, rejects), 'utf8')).toMatch(/^[^\n]*is being erased[^\n]*\n$/);
  expect(
    await rowsOf(service, 'SELECT 1 FROM app_user WHERE workspace_id = ? AND user_id <> ?', [ERASED]),
  ).toHaveLength(4);

  await release();
  const answered = async () => (await service.fetch(`/v1/users/${hashId}`)).status;
  await settled(service, expect.poll(answered).toBe(404));
  if (onPostgres) expect(await contentsOf(service.database)).not.toContain(ERASED);
  else expect(copiesIn(service.database, ERASED)).toBe(0);
  for (const table of ['decision', 'decided_user', 'message', 'contact'])
    expect(
      await rowsOf(service, `SELECT 1 FROM ${table} WHERE workspace_id = ? AND hash_id = ?`, [hashId]),
      table,
    ).toEqual([]);

  // A new user begins.
  expect((await post('/v1/events', { events: [eventOf(ERASED)] })).status).toBe(202);
  expect(await eventsOf(service, ERASED)).toHaveLength(1);
  expect((await post('/v1/users', { users: [{ userId: ERASED }] })).body.users).toEqual([
    { userId: ERASED, hashId },
  ]);
  expect(await status()).toBe('known');
});

test('the end of one erasure does not admit events of another user who is being erased', async () => {
  const { service } = await erasing();
  const { platform, workspace } = service;
  const { store, cipher } = platform;
  const [second] = (await json(service.fetch('/v1/users', { body: { users: [{ userId: 'second' }] } }))).body
    .users;
  const isErasing = () => store.read((tx) => eventHeads.isErasing(tx, workspace));
  const end = async (hashId: string) =>
    store.write(async (tx) => {
      await tx.sql.run(
        "UPDATE erasure SET phase = 'files', requested_at = 1 WHERE workspace_id = ? AND hash_id = ?",
        [workspace, hashId],
      );
      await erasures.end(tx, workspace, { hashId, requestedAt: 1 });
    });
  await store.write((tx) => erasures.start(tx, cipher, workspace, second.hashId));
  await end(second.hashId);
  expect(await isErasing()).toBe(true);
  await json(service.fetch('/v1/events', { body: { events: [eventOf(ERASED), eventOf('second')] } }));
  expect(await eventsOf(service, ERASED)).toEqual([]);
  expect(await eventsOf(service, 'second')).toHaveLength(1);
  const [first] = (await rowsOf(
    service,
    'SELECT hash_id FROM erasure WHERE workspace_id = ? AND phase <> ?',
    ['done'],
  )) as { hash_id: string }[];
  await end(first!.hash_id);
  expect(await isErasing()).toBe(false);
});

if (onPostgres)
  test('events that wait for the begin of an erasure are not stored', async () => {
    const service = await startTestService();
    const { store, cipher } = service.platform;
    const { body } = await json(service.fetch('/v1/users', { body: { users: [{ userId: ERASED }] } }));
    const watcher = await outsider(service.database);
    let answered: Promise<Response> | undefined;
    await store.write(async (tx) => {
      await erasures.start(tx, cipher, service.workspace, body.users[0].hashId);
      // A transaction that is repeated has sent them already.
      answered ??= service.fetch('/v1/events', { body: { events: [eventOf(ERASED), eventOf('other')] } });
      await watcher.waiters();
    });
    expect((await answered!).status).toBe(202);
    expect(await eventsOf(service, ERASED)).toEqual([]);
    expect(await eventsOf(service, 'other')).toHaveLength(1);
  });
