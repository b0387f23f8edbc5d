import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { settled } from '../../support/process/test-clock.ts';

const ERASED = 'anna.only-events@example.org';
const events = (userId: string) => ({
  events: [
    { userId, event: 'seen', timestamp: '2026-01-01T00:00:00Z' },
    { userId: 'other', event: 'seen', timestamp: '2026-01-01T00:00:00Z' },
  ],
});

async function json(response: Promise<Response>, status = 200) {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return JSON.parse(text);
}

const hashIdOf = async (service: TestService) => (await service.identify({ userId: ERASED })).hashId;

/** The userIds that the service stores beside events. */
const userIds = (service: TestService) =>
  service.platform.store.read(async (tx) => {
    const found = new Set<string>();
    for (const table of ['event', 'user_signal', 'recent_event', 'app_user'])
      for (const { id } of await tx.sql.all<{ id: string }>(
        `SELECT DISTINCT user_id AS id FROM ${table} WHERE workspace_id = ?`,
        [service.workspace],
      ))
        found.add(id);
    return [...found].sort();
  });

async function erased(service: TestService, hashId: string): Promise<void> {
  const answer = await json(service.fetch(`/v1/users/${hashId}`, { method: 'DELETE' }));
  expect(answer).toMatchObject({ hashId, status: 'erasing' });
  expect(await json(service.fetch(`/v1/users/${hashId}`))).toMatchObject({ status: 'erasing' });
  const status = async () => (await service.fetch(`/v1/users/${hashId}`)).status;
  await settled(service, expect.poll(status).toBe(404));
}

test('a user of whom there are only events is erased', async () => {
  const service = await startTestService({ testClock: true });
  const hashId = await hashIdOf(service);
  await json(service.fetch('/v1/events', { body: events(ERASED) }), 202);
  await json(service.fetch(`/v1/users/${hashId}`), 404);
  await erased(service, hashId);
  expect(await userIds(service)).toEqual(['other']);
});

test('events that arrive after an erasure are erased by the next one', async () => {
  const service = await startTestService({ testClock: true });
  const hashId = await hashIdOf(service);
  await json(service.fetch('/v1/users', { body: { users: [{ userId: ERASED }] } }));
  await erased(service, hashId);
  await json(service.fetch('/v1/events', { body: events(ERASED) }), 202);
  expect(await userIds(service)).toContain(ERASED);
  await erased(service, hashId);
  expect(await userIds(service)).toEqual(['other']);
});

test('an erasure of nobody ends, and what is no hashId is not found', async () => {
  const service = await startTestService({ testClock: true });
  await json(service.fetch('/v1/events', { body: events('another') }), 202);
  await json(service.fetch('/v1/users/not-a-hash', { method: 'DELETE' }), 404);
  await erased(service, 'a'.repeat(64));
  expect(await userIds(service)).toEqual(['another', 'other']);
});

test.each(['--user-id', '--hash-id'])('`svc users export %s` finds a user by events alone', async (flag) => {
  const service = await startTestService();
  const hashId = await hashIdOf(service);
  await json(service.fetch('/v1/events', { body: events(ERASED) }), 202);
  const exported = (user: string) =>
    runSvc(['users', 'export', flag, user, '--database', service.database], {
      env: { SVC_DATA_DIR: dirname(service.files) },
    });
  const { stdout, stderr, code } = await exported(flag === '--user-id' ? ERASED : hashId);
  expect(code, stderr).toBe(0);
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({ type: 'user', userId: ERASED, hashId });
  expect(records).toContainEqual(expect.objectContaining({ type: 'event', event: 'seen' }));
  const unknown = await exported(flag === '--user-id' ? 'nobody' : 'b'.repeat(64));
  expect([unknown.code, unknown.stdout]).toEqual([5, '']);
});
