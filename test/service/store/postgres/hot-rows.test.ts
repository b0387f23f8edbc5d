import { expect, inject, it } from 'vitest';
import type { ServiceOptions } from '../../../../src/service/start.ts';
import { createDatabase } from '../../../support/postgres/postgres.ts';
import { outsider } from '../../../support/postgres/row-lock.ts';
import { startTestService, type TestService } from '../../../support/process/service.ts';

/** More than a node has connections. */
const MANY = 12;

const start = async (options: Partial<ServiceOptions> = {}) => {
  const database = await createDatabase(inject('postgres'));
  const service = await startTestService({ database, ...options });
  return { database, service, other: await outsider(database) };
};
const post = async (service: TestService, path: string, body: object, key?: string) => {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await service.fetch(path, { body, headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};
const decide = (service: TestService, hashId: string, key?: string) =>
  post(service, '/v1/decisioning/decide', { hashId }, key);

/** Sends `request` MANY times while a row is locked, and meanwhile decides for a bystander. */
async function behind(
  { service, other }: Awaited<ReturnType<typeof start>>,
  lock: () => Promise<void>,
  request: (i: number) => Promise<{ status: number }>,
) {
  await lock();
  const stuck = Array.from({ length: MANY }, (_, i) => request(i));
  await other.waiters();
  // Time for the others to take all the connections they can get.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const bystanders = await Promise.all(Array.from({ length: 5 }, (_, i) => decide(service, `free-${i}`)));
  expect(bystanders.map(({ status }) => status)).toEqual(Array(5).fill(200));
  await other.release();
  const answers = await Promise.all(stuck);
  return new Set(answers.map(({ status }) => status));
}

it('twelve decisions behind one locked user leave connections to everybody else', async () => {
  const run = await start();
  await decide(run.service, 'hot');
  const lock = () => run.other.lock("SELECT 1 FROM decided_user WHERE hash_id = 'hot'");
  expect(await behind(run, lock, () => decide(run.service, 'hot'))).toEqual(new Set([200]));
});

it('so do twelve batches with one locked user in common', async () => {
  const run = await start();
  const batch = (i: number) =>
    post(run.service, '/v1/users', { users: [{ userId: 'hot' }, { userId: `u${i}` }] });
  await batch(0);
  const lock = () => run.other.lock("SELECT 1 FROM app_user WHERE user_id = 'hot'");
  expect(await behind(run, lock, batch)).toEqual(new Set([200]));
});

it('so do twelve repetitions of one request that is still under way', async () => {
  const run = await start();
  await decide(run.service, 'hot');
  const lock = () => run.other.lock("SELECT 1 FROM decided_user WHERE hash_id = 'hot'");
  expect(await behind(run, lock, () => decide(run.service, 'hot', 'same'))).toEqual(new Set([200]));
  const decided = await run.other.query("SELECT 1 FROM decision WHERE hash_id = 'hot'");
  expect(decided.rowCount).toBe(2);
});

it('so do twelve outcomes behind the locked reward log of their workspace', async () => {
  const run = await start();
  const made = await Promise.all(Array.from({ length: MANY + 1 }, (_, i) => decide(run.service, `u${i}`)));
  const tap = (i: number) =>
    post(run.service, `/v1/messages/${made[i]!.body.decisionId}/outcomes`, { type: 'clicked' });
  await tap(MANY);
  const lock = () => run.other.lock('SELECT 1 FROM reward_head');
  expect(await behind(run, lock, tap)).toEqual(new Set([202]));
});

it('so do twelve batches of events while the index of events is being changed', async () => {
  const run = await start();
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
  const lock = () =>
    run.other.lock("SELECT pg_advisory_xact_lock(hashtextextended('event index', 0)) FROM workspace");
  const ingest = () => post(run.service, '/v1/events', { events: [event] });
  expect(await behind(run, lock, ingest)).toEqual(new Set([202]));
});

it('so do twelve requests behind the locked rate limit of their group', async () => {
  const run = await start({ limits: { ingest: 1000, decisions: null } });
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
  const ingest = () => post(run.service, '/v1/events', { events: [event] });
  await ingest();
  const lock = () => run.other.lock('SELECT 1 FROM admission_head');
  expect(await behind(run, lock, ingest)).toEqual(new Set([202]));
});

it('batches of users that overlap in any order, on two nodes, are all taken and meet in no deadlock', async () => {
  const { database, service, other } = await start();
  const second = await startTestService({ database });
  const ids = Array.from({ length: 60 }, (_, i) => ({ userId: `u${i}`, locale: 'en' }));
  const orders = [ids, ids.toReversed(), [...ids.slice(30), ...ids.slice(0, 30)]];
  const statuses = await Promise.all(
    Array.from({ length: 48 }, async (_, i) => {
      const users = orders[i % orders.length]!;
      return (await post(i % 2 ? service : second, '/v1/users', { users })).status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  // A connection reports its deadlocks when it ends, if not before.
  await Promise.all([service.close(0), second.close(0)]);
  const sql = 'SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()';
  expect((await other.query(sql)).rows[0].n).toBe(0);
});
