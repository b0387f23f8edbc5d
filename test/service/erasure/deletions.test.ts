import { expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { settled } from '../../support/process/test-clock.ts';

const event = (n: number, more: object = {}) => ({
  userId: `u${n % 3}`,
  event: n % 2 ? 'odd' : 'even',
  timestamp: new Date(Date.UTC(2026, 0, 1, n)).toISOString(),
  properties: { n },
  eventId: `id ${n}`,
  ...more,
});

async function json(answer: Promise<Response>) {
  const response = await answer;
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const ingest = (service: TestService, from: number, count: number, run?: string) =>
  json(
    service.fetch('/v1/events', {
      body: { events: Array.from({ length: count }, (_, i) => event(from + i)) },
      headers: run ? { 'x-service-import-run': run } : {},
    }),
  );
const request = (service: TestService, body: object) => json(service.fetch('/v1/events/deletions', { body }));

/**
 * Follows a deletion until its events are deleted or counted. The clock moves meanwhile, so that the one before ends; with `still` it
 * stays, and the one before goes on.
 */
async function followed(service: TestService, body: object, { still = false } = {}) {
  const begun = await request(service, body);
  expect(begun).toMatchObject({ status: 202, body: { requestId: expect.any(String) } });
  const read = () => json(service.fetch(`/v1/events/deletions/${begun.body.deletionId}`));
  const status = async () => (await read()).body.status;
  const reached = expect.poll(status).toMatch(/settling|done/);
  await (still ? reached : settled(service, reached));
  return (await read()).body;
}
const numbersLeft = async (service: TestService) => {
  const rows = await service.platform.store.read((tx) =>
    tx.sql.all<{ properties: string }>(
      'SELECT properties FROM event WHERE workspace_id = ? ORDER BY number',
      [service.workspace],
    ),
  );
  return rows.map(({ properties }) => JSON.parse(properties).n as number);
};

test('events are counted with a sample, then deleted by name, user, time and filter', async () => {
  const service = await startTestService({ testClock: true });
  await ingest(service, 0, 24);
  const counted = await followed(service, { event: 'odd', filter: 'n>=10', dryRun: true });
  expect(counted).toMatchObject({ status: 'done', events: 7, dryRun: true, progress: 1 });
  expect(counted.sample).toHaveLength(5);
  expect(counted.sample[0]).toEqual({
    userId: 'u2',
    event: 'odd',
    timestamp: '2026-01-01T11:00:00.000Z',
    properties: { n: 11 },
  });
  expect(await numbersLeft(service)).toHaveLength(24);

  expect(await followed(service, { event: 'odd', filter: 'n>=10' })).toMatchObject({ events: 7, sample: [] });
  const span = { since: '2026-01-01T02:00:00Z', until: '2026-01-01T05:00:00Z' };
  expect(await followed(service, span)).toMatchObject({ events: 3 });
  const { users } = (await json(service.fetch('/v1/users', { body: { users: [{ userId: 'u0' }] } }))).body;
  const byHash = { filter: `user:${users[0].hashId} n<10`, dryRun: true };
  expect(await followed(service, byHash)).toMatchObject({ events: 3 });
  expect(await followed(service, { userId: 'u0', filter: 'n<10' })).toMatchObject({ events: 3 });
  expect(await numbersLeft(service)).toEqual([1, 5, 7, 8, 10, 12, 14, 16, 18, 20, 22]);
});

test('a run is deleted alone and sends no more; its ids may be sent again', async () => {
  const service = await startTestService({ testClock: true });
  await ingest(service, 0, 5);
  await ingest(service, 100, 1000, 'run_wrong');
  await ingest(service, 10, 5);
  await ingest(service, 1100, 1000, 'run_wrong');
  expect((await ingest(service, 100, 10)).body).toMatchObject({ duplicates: 10 });

  expect(await followed(service, { run: 'run_wrong' })).toMatchObject({ events: 2000 });
  expect(await numbersLeft(service)).toEqual([0, 1, 2, 3, 4, 10, 11, 12, 13, 14]);
  const late = await ingest(service, 3000, 1, 'run_wrong');
  expect(late).toMatchObject({ status: 409, body: { message: expect.stringContaining('run_wrong') } });
  expect((await ingest(service, 0, 5)).body).toMatchObject({ duplicates: 5 });
  expect((await ingest(service, 100, 1000)).body).toMatchObject({ duplicates: 0 });
  expect(await numbersLeft(service)).toHaveLength(1010);
});

test('a deletion that goes on is not begun again, and what selects nothing is refused', async () => {
  const service = await startTestService({ testClock: true });
  await ingest(service, 0, 3);
  const { platform, workspace } = service;
  // Behind another one that waits.
  await followed(service, { event: 'odd' }, { still: true });
  await platform.store.write((tx) =>
    tx.sql.run('UPDATE event_deletion SET due_at = ? WHERE workspace_id = ? AND due_at IS NOT NULL', [
      tx.now + 3_600_000,
      workspace,
    ]),
  );
  const [one, other] = [await request(service, { userId: 'u0' }), await request(service, { userId: 'u0' })];
  expect(other.body.deletionId).toBe(one.body.deletionId);
  // A count does not wait.
  expect(await followed(service, { event: 'even', dryRun: true }, { still: true })).toMatchObject({
    events: 2,
  });
  const kept = await platform.store.read((tx) =>
    tx.sql.all<{ selection: Uint8Array | null }>(
      'SELECT selection FROM event_deletion WHERE workspace_id = ?',
      [workspace],
    ),
  );
  for (const { selection } of kept)
    expect(Buffer.from(selection ?? []).toString('latin1')).not.toMatch(/u0|odd/);

  const refused = async (body: object) => (await request(service, body)).body.details?.[0]?.field;
  expect(await refused({})).toBe('filter');
  expect(await refused({ dryRun: true })).toBe('filter');
  expect(await refused({ filter: 'a:' })).toBe('filter');
  expect(await refused({ filter: ' ' })).toBe('filter');
  expect(await refused({ run: 'a run' })).toBe('run');
  expect(await refused({ since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' })).toBe('until');
  expect(await refused({ name: 'odd' })).toBe('name');
  expect((await service.fetch('/v1/events/deletions/del_unknown')).status).toBe(404);
  expect(await numbersLeft(service)).toEqual([0, 2]);
});
