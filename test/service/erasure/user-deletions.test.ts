import { expect, test } from 'vitest';
import { userDeletions } from '../../../src/service/erasure/user-deletions.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';

async function json(answer: Promise<Response>) {
  const response = await answer;
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const ingest = async (service: TestService, users: object[], run?: string) => {
  const headers: Record<string, string> = run ? { 'x-service-import-run': run } : {};
  const sent = await json(service.fetch('/v1/users', { body: { users }, headers }));
  return {
    ...sent,
    hashIds: (sent.body.users ?? []).map(({ hashId }: { hashId: string }) => hashId) as string[],
  };
};
const request = (service: TestService, body: object) => json(service.fetch('/v1/user-deletions', { body }));
async function ended(service: TestService, deletionId: string) {
  const read = () => json(service.fetch(`/v1/user-deletions/${deletionId}`));
  await expect.poll(async () => (await read()).body.status).toBe('done');
  return (await read()).body;
}
async function followed(service: TestService, body: object) {
  const begun = await request(service, body);
  expect(begun).toMatchObject({ status: 202, body: { requestId: expect.any(String) } });
  return ended(service, begun.body.deletionId);
}
const rows = (service: TestService, sql: string) =>
  service.platform.store.read((tx) => tx.sql.all<Record<string, unknown>>(sql, [service.workspace]));
const usersLeft = async (service: TestService) =>
  (await rows(service, 'SELECT user_id AS "userId" FROM app_user WHERE workspace_id = ?'))
    .map(({ userId }) => String(userId))
    .sort();
const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    userId: `${prefix}${i}`,
    name: `Name ${i}`,
    traits: { vip: true },
  }));

test('the users that a run created and nobody used since are counted, and deleted with all that is theirs', async () => {
  const service = await startTestService();
  await ingest(service, [{ userId: 'before', name: 'Before' }]);
  const wrong = named('wrong', 700);
  await ingest(service, wrong.slice(0, 500), 'run_wrong');
  await ingest(service, [...wrong.slice(500), { userId: 'before', name: 'Changed' }], 'run_wrong');
  const full = {
    ...{ userId: 'full', emails: ['a@example.com'], optIn: ['email'], optOut: ['sms'] },
    devices: [{ channel: 'push', token: 'token-1' }],
  };
  // Twice in one run is once.
  await ingest(service, [full], 'run_wrong');
  await ingest(service, [full], 'run_wrong');
  await ingest(service, named('right', 3), 'run_right');

  const counted = await followed(service, { run: 'run_wrong', dryRun: true });
  expect(counted).toMatchObject({ dryRun: true, users: 701, kept: 0 });
  expect(counted.sample).toHaveLength(5);
  expect(counted.sample[0]).toEqual({
    userId: expect.stringMatching(/^(wrong|full)/),
    hashId: expect.any(String),
  });
  expect(await usersLeft(service)).toHaveLength(705);

  expect(await followed(service, { run: 'run_wrong' })).toMatchObject({ users: 701, kept: 0, sample: [] });
  expect(await usersLeft(service)).toEqual(['before', 'right0', 'right1', 'right2']);
  for (const table of ['device', 'consent', 'address_suppression'])
    expect(await rows(service, `SELECT * FROM ${table} WHERE workspace_id = ?`)).toEqual([]);
  expect(await rows(service, 'SELECT hash_id FROM user_key WHERE workspace_id = ?')).toHaveLength(4);
  const late = await ingest(service, named('late', 1), 'run_wrong');
  expect(late).toMatchObject({ status: 409, body: { message: expect.stringContaining('run_wrong') } });
  // Another run may create them again.
  expect(await ingest(service, wrong.slice(0, 5), 'run_again')).toMatchObject({ status: 200 });
  expect(await followed(service, { run: 'run_again', dryRun: true })).toMatchObject({ users: 5, kept: 0 });
});

test('users who were used since stay, whatever used them', async () => {
  const service = await startTestService();
  const users = ['unused', 'updated', 'tracked', 'decided', 'notified', 'consented', 'again'];
  // An event from before is no use of the user whom the run creates.
  const event = (userId: string, timestamp = '2026-01-01T00:00:00Z') =>
    json(service.fetch('/v1/events', { body: { events: [{ userId, event: 'e', timestamp }] } }));
  await event('unused');
  await service.platform.store.write((tx) =>
    tx.sql.run('UPDATE event SET received_at = received_at - 3600000 WHERE workspace_id = ?', [
      service.workspace,
    ]),
  );
  const { hashIds } = await ingest(
    service,
    users.map((userId) => ({ userId, phone: '+4915112345678', optIn: ['whatsapp'] })),
    'run_1',
  );
  const hashId = (userId: string) => hashIds[users.indexOf(userId)]!;
  await ingest(service, [{ userId: 'updated', locale: 'de-DE' }]);
  await ingest(service, [{ userId: 'again', locale: 'de-DE' }], 'run_2');
  await event('tracked');
  const context = { channel: 'in-app', surface: 'home', locale: 'en-US' };
  expect(
    await json(service.fetch('/v1/decisioning/decide', { body: { hashId: hashId('decided'), context } })),
  ).toMatchObject({ status: 200 });
  const trigger = { hashId: hashId('notified'), templateId: 'order_update', channel: 'sms' };
  expect(
    await json(service.fetch('/v1/inform/trigger', { body: { ...trigger, variables: { orderId: '1' } } })),
  ).toMatchObject({ status: 202 });
  await json(service.fetch(`/v1/users/${hashId('consented')}/consent`, { body: { optOut: ['email'] } }));
  expect(await followed(service, { run: 'run_1', dryRun: true })).toMatchObject({ users: 1, kept: 6 });
  expect(await followed(service, { run: 'run_1' })).toMatchObject({ users: 1, kept: 6 });
  expect(await usersLeft(service)).toEqual(users.slice(1).sort());
});

test('a deletion that goes on is not begun again, and a run of events has no users', async () => {
  const service = await startTestService();
  expect(await followed(service, { run: 'run_unknown', dryRun: true })).toMatchObject({ users: 0, kept: 0 });
  await ingest(service, named('u', 2), 'run_1');
  const [one, other] = await service.platform.store.write(async (tx) => [
    await userDeletions.start(tx, service.workspace, 'run_1', false),
    await userDeletions.start(tx, service.workspace, 'run_1', false),
  ]);
  expect(other!.deletionId).toBe(one!.deletionId);
  expect(await ended(service, one!.deletionId)).toMatchObject({ users: 2 });
  const refused = async (body: object) => (await request(service, body)).body.details?.[0]?.field;
  expect(await refused({})).toBe('run');
  expect(await refused({ run: 'a run' })).toBe('run');
  expect(await refused({ run: 'r', event: 'e' })).toBe('event');
  expect((await service.fetch('/v1/user-deletions/del_unknown')).status).toBe(404);
});
