import { expect, it, vi } from 'vitest';
import type { ServiceOptions } from '../../../../../src/service/start.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { outsider } from '../../../../support/postgres/row-lock.ts';
import { startTestService, type TestService } from '../../../../support/process/service.ts';

/** More than the connection pool of a node. */
const MANY = 12;

const start = async (options: Partial<ServiceOptions> = {}) => {
  const database = await postgresDatabase();
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

/** Sends `request` MANY times while a row is locked, and requests decisions for another user meanwhile. */
async function behind(
  { service, other }: Awaited<ReturnType<typeof start>>,
  lock: () => Promise<void>,
  request: (i: number) => Promise<{ status: number }>,
) {
  await lock();
  const stuck = Array.from({ length: MANY }, (_, i) => request(i));
  await other.waiters();
  // Time for the others to take as many connections as they can.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const bystanders = await Promise.all(Array.from({ length: 5 }, (_, i) => decide(service, `free-${i}`)));
  expect(bystanders.map(({ status }) => status)).toEqual(Array(5).fill(200));
  await other.release();
  const answers = await Promise.all(stuck);
  return new Set(answers.map(({ status }) => status));
}

it('twelve decisions for one locked user leave connections for other requests', async () => {
  const run = await start();
  await decide(run.service, 'hot');
  const lock = () => run.other.lock("SELECT 1 FROM decided_user WHERE hash_id = 'hot'");
  expect(await behind(run, lock, () => decide(run.service, 'hot'))).toEqual(new Set([200]));
});

it('twelve batches that share one locked user leave connections for other requests', async () => {
  const run = await start();
  const batch = (i: number) =>
    post(run.service, '/v1/users', { users: [{ userId: 'hot' }, { userId: `u${i}` }] });
  await batch(0);
  const lock = () => run.other.lock("SELECT 1 FROM app_user WHERE user_id = 'hot'");
  expect(await behind(run, lock, batch)).toEqual(new Set([200]));
});

it('twelve repetitions of a running request leave connections for other requests', async () => {
  const run = await start();
  await decide(run.service, 'hot');
  const lock = () => run.other.lock("SELECT 1 FROM decided_user WHERE hash_id = 'hot'");
  expect(await behind(run, lock, () => decide(run.service, 'hot', 'same'))).toEqual(new Set([200]));
  const decided = await run.other.query("SELECT 1 FROM decision WHERE hash_id = 'hot'");
  expect(decided.rowCount).toBe(2);
});

it('twelve outcomes that wait for the reward log leave connections for other requests', async () => {
  const run = await start();
  const made = await Promise.all(Array.from({ length: MANY + 1 }, (_, i) => decide(run.service, `u${i}`)));
  const tap = (i: number) =>
    post(run.service, `/v1/messages/${made[i]!.body.decisionId}/outcomes`, { type: 'clicked' });
  await tap(MANY);
  const head = async () => (await run.other.query('SELECT 1 FROM reward_head')).rowCount === 1;
  await vi.waitUntil(head, { timeout: 100_000 });
  const lock = () => run.other.lock('SELECT 1 FROM reward_head');
  expect(await behind(run, lock, tap)).toEqual(new Set([202]));
});

it('twelve event batches that wait for the numbers of their workspace leave connections for other requests', async () => {
  const run = await start();
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
  const lock = () => run.other.lock('SELECT 1 FROM event_head');
  const ingest = () => post(run.service, '/v1/events', { events: [event] });
  expect(await behind(run, lock, ingest)).toEqual(new Set([202]));
});

it('a batch that waits for its idempotency key does not hold up the other senders of its workspace', async () => {
  const { service, other } = await start();
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
  const ingest = (key?: string) => post(service, '/v1/events', { events: [event] }, key);
  await ingest();
  // Another node stores an answer to the key and has not committed.
  await other.lock(
    `WITH stored AS (INSERT INTO idempotency (workspace_id, key, digest, status, body, expires_at)
       VALUES ($1, 'same', 'another', 202, NULL, 9999999999999))
     SELECT 1 FROM workspace`,
    [service.workspace],
  );
  const waiting = ingest('same');
  await other.waiters();
  expect((await ingest()).status).toBe(202);
  await other.release();
  expect((await waiting).status).toBe(202);
});

it('twelve requests that wait for their rate limit leave connections for other requests', async () => {
  const run = await start({ limits: { ingest: 1000, decisions: null } });
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
  const ingest = () => post(run.service, '/v1/events', { events: [event] });
  await ingest();
  const lock = () => run.other.lock('SELECT 1 FROM admission_head');
  expect(await behind(run, lock, ingest)).toEqual(new Set([202]));
});

it('overlapping user batches on two nodes are all accepted without a deadlock', async () => {
  const { database, service, other } = await start();
  const second = await startTestService({ database });
  const ids = Array.from({ length: 60 }, (_, i) => ({ userId: `u${i}`, locale: 'en' }));
  const orders = [ids, ids.toReversed(), [...ids.slice(30), ...ids.slice(0, 30)]];
  const statuses = await Promise.all(
    Array.from({ length: 24 }, async (_, i) => {
      const users = orders[i % orders.length]!;
      return (await post(i % 2 ? service : second, '/v1/users', { users })).status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  // A connection reports its deadlocks at the latest when it closes.
  await Promise.all([service.close(0), second.close(0)]);
  const sql = 'SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()';
  expect((await other.query(sql)).rows[0].n).toBe(0);
});
