import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AnswerOf } from '../../../../src/contract/endpoints.ts';
import { type RawService, wallClock } from '../../../support/peers/raw-service.ts';
import { content, decide, identify, open } from '../../../support/process/decisions-service.ts';

const order = { goalId: 'order', event: 'order_completed', within: '7d' };
const settings = { reward: { goal: 'order' } };

const put = (service: RawService, goals: object[]) =>
  service.send('PUT', '/v1/catalog', { catalog: { contents: [content('a')], goals, settings } });
const track = (service: RawService, timestamp: string, userId = 'u') =>
  service.send('POST', '/v1/events', { events: [{ userId, event: 'order_completed', timestamp }] });
const quiet = (service: RawService) => expect.poll(() => service.idle(), { interval: 20 }).toBe(true);
const rowsOf = async (service: RawService, table: string, hashId: string) =>
  (
    await service.platform.store.read((tx) =>
      tx.sql.all(`SELECT 1 AS one FROM ${table} WHERE hash_id = ?`, [hashId]),
    )
  ).length;
const logged = async (service: RawService, id: string) => {
  const { body } = await service.send<AnswerOf<'getDecision'>>('GET', `/v1/decisions/${id}`);
  return { reward: body.reward, goals: body.goals, hashId: body.hashId };
};

test('an erasure removes what names the user, and what the decisions earned stays', async () => {
  const clock = wallClock('2026-05-01T10:00:00Z');
  const service = await open({ clock });
  await put(service, [order, { ...order, goalId: 'other' }]);
  const [hashId, other] = [
    await identify(service, { userId: 'u' }),
    await identify(service, { userId: 'v' }),
  ];
  const { decisionId } = (await decide(service, hashId)).body;
  const { decisionId: others } = (await decide(service, other)).body;
  clock.set('2026-05-01T11:00:00Z');
  await track(service, '2026-05-01T10:30:00Z');
  await track(service, '2026-05-01T10:30:00Z', 'v');
  await quiet(service);
  const tables = ['goal_event', 'goal_user', 'goal_recheck'];
  for (const table of tables.slice(0, 2)) expect(await rowsOf(service, table, hashId), table).toBe(2);
  expect((await service.send('DELETE', `/v1/users/${hashId}`)).status).toBeLessThan(300);
  await quiet(service);
  for (const table of tables) expect(await rowsOf(service, table, hashId), table).toBe(0);
  for (const table of tables.slice(0, 2)) expect(await rowsOf(service, table, other), table).toBe(2);
  await expect
    .poll(() => logged(service, decisionId))
    .toEqual({ reward: 1, goals: { order: 1, other: 1 }, hashId: '' });
  // A later event of the user finds no decision; a change of the goals leaves what erased users earned.
  await track(service, '2026-05-01T10:40:00Z');
  await put(service, [{ ...order, within: '10m' }]);
  await quiet(service);
  await expect.poll(() => logged(service, decisionId)).toMatchObject({ reward: 1, hashId: '' });
  await expect.poll(() => logged(service, others)).toMatchObject({ reward: 0, hashId: other });
  expect((await logged(service, others)).goals).toBeUndefined();
});

test('goals that were removed from the file of the service while it was stopped are not counted on', async () => {
  const clock = wallClock('2026-05-01T10:00:00Z');
  const first = await open({ clock });
  const catalog = join(first.folder, 'goals.json');
  const write = (goals: object[]) =>
    writeFileSync(
      catalog,
      JSON.stringify({ contents: [content('a')], goals, ...(goals.length > 0 ? { settings } : {}) }),
    );
  write([order]);
  const service = await first.restart({ catalog });
  const hashId = await identify(service, { userId: 'u' });
  const { decisionId } = (await decide(service, hashId)).body;
  clock.set('2026-05-01T11:00:00Z');
  await track(service, '2026-05-01T10:30:00Z');
  await quiet(service);
  await expect.poll(() => logged(service, decisionId)).toMatchObject({ reward: 1, goals: { order: 1 } });
  await service.close();
  write([]);
  const after = await first.restart({ catalog });
  await quiet(after);
  await expect.poll(() => logged(after, decisionId)).toMatchObject({ reward: 0 });
  expect(await rowsOf(after, 'goal_event', hashId)).toBe(0);
});

test('an event of the future counts for the decision that is the last one before it', async () => {
  const clock = wallClock('2026-05-01T10:00:00Z');
  const service = await open({ clock });
  await put(service, [order]);
  const hashId = await identify(service, { userId: 'u' });
  // Of a user without decisions, and of a clock that is ahead.
  await track(service, '2026-05-01T10:30:00Z');
  await quiet(service);
  clock.set('2026-05-01T10:20:00Z');
  const before = (await decide(service, hashId)).body.decisionId;
  await quiet(service);
  await expect.poll(() => logged(service, before)).toMatchObject({ reward: 1, goals: { order: 1 } });
  clock.set('2026-05-01T10:25:00Z');
  const last = (await decide(service, hashId)).body.decisionId;
  await quiet(service);
  await expect.poll(() => logged(service, last)).toMatchObject({ reward: 1, goals: { order: 1 } });
  await expect.poll(() => logged(service, before)).toMatchObject({ reward: 0 });
  clock.set('2026-05-01T10:31:00Z');
  const after = (await decide(service, hashId)).body.decisionId;
  await quiet(service);
  await expect.poll(() => logged(service, after)).toMatchObject({ reward: 0 });
  await expect.poll(() => logged(service, last)).toMatchObject({ reward: 1 });
});
