import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { settleOnce } from '../../../../../src/service/decisions/reward-log-writer.ts';
import { decisions } from '../../../../../src/service/decisions/store/decisions.ts';
import { earnings } from '../../../../../src/service/decisions/store/earnings.ts';
import { messages } from '../../../../../src/service/decisions/store/messages.ts';
import { rewards } from '../../../../../src/service/decisions/store/rewards.ts';
import { recentEvents } from '../../../../../src/service/events/store/recent-events.ts';
import { createCipher } from '../../../../../src/service/platform/crypto/cipher.ts';
import { idempotency } from '../../../../../src/service/platform/store/idempotency.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import type { Tx } from '../../../../../src/service/platform/store/store.ts';
import { contacts } from '../../../../../src/service/users/store/contacts.ts';
import { users } from '../../../../../src/service/users/store/users.ts';
import { deliveryClaims } from '../../../../../src/service/webhooks/store/claims.ts';
import { deliveries } from '../../../../../src/service/webhooks/store/deliveries.ts';
import { fanOuts } from '../../../../../src/service/webhooks/store/fan-outs.ts';
import { purgeDeliveries } from '../../../../../src/service/webhooks/store/purge.ts';
import { webhooks } from '../../../../../src/service/webhooks/store/webhooks.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { outsider } from '../../../../support/postgres/row-lock.ts';

const cipher = createCipher(Buffer.alloc(32));
const DAY_MS = 86_400_000;
const LONG_AGO_MS = 400 * DAY_MS;

async function open() {
  const url = await postgresDatabase();
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  return { store, other: await outsider(url) };
}

/** Runs `work` while another session has locked `locked`, checks that `free` is not locked, and lets it finish. */
async function whileLocked(
  { store, other }: Awaited<ReturnType<typeof open>>,
  work: (tx: Tx) => Promise<unknown>,
  { locked, free }: { locked: string; free: string },
) {
  await other.lock(locked);
  const working = store.write(work);
  await other.waiters();
  const isFree = await other.isFree(free);
  await other.release();
  await working;
  return isFree;
}

const user = (id: string) => ({ userId: id, hashId: id });
const webhook = (id: string, leaseMs: number | null = null) => ({
  id,
  url: 'https://example.com/',
  events: ['campaign.clicked'],
  secret: Buffer.from('secret'),
  leaseMs,
});
const occurrence = { kind: 'campaign.clicked', decisionId: 'd', contentId: 'c', hashId: 'h', occurredAt: 0 };

it('a batch locks users in the order of their hashIds, whatever the order in the request', async () => {
  const db = await open();
  await db.store.write((tx) => users.upsert(tx, cipher, 'ws', [user('a'), user('b')]));
  const upsert = (tx: Tx) => users.upsert(tx, cipher, 'ws', [user('b'), user('a')]);
  const row = (id: string) => `SELECT 1 FROM app_user WHERE hash_id = '${id}'`;
  expect(await whileLocked(db, upsert, { locked: row('a'), free: row('b') })).toBe(true);
});

it('a failed delivery locks its subscription before itself, like the deletion of the subscription', async () => {
  const db = await open();
  const claimed = await db.store.write(async (tx) => {
    await webhooks.create(tx, 'ws', webhook('wh'));
    await fanOuts.start(tx, 'ws', occurrence);
    return deliveries.claim(tx, 'ws', 'wh', 1, 60_000);
  });
  const attempt = {
    status: 500,
    endedAt: 1,
    retryAfterMs: null,
    error: null,
    startedAt: 0,
    durationMs: 1,
  };
  const finish = (tx: Tx) => deliveries.finish(tx, claimed[0]!, attempt, 0);
  const locks = { locked: 'SELECT 1 FROM webhook', free: 'SELECT 1 FROM delivery' };
  expect(await whileLocked(db, finish, locks)).toBe(true);
});

it('purging locks deliveries before their attempts, and skips locked deliveries', async () => {
  const db = await open();
  const claimed = await db.store.write(async (tx) => {
    await webhooks.create(tx, 'ws', webhook('wh'));
    await fanOuts.start(tx, 'ws', occurrence);
    await fanOuts.start(tx, 'ws', occurrence);
    return deliveries.claim(tx, 'ws', 'wh', 2, 60_000);
  });
  const attempt = { status: 500, endedAt: 1, retryAfterMs: null, error: null, startedAt: 0, durationMs: 1 };
  await db.store.write(async (tx) => {
    for (const each of claimed) await deliveries.finish(tx, each, attempt, 0);
    await webhooks.delete(tx, 'ws', 'wh');
  });
  const [first] = claimed.map(({ deliveryId }) => deliveryId).sort();
  await db.other.lock('SELECT 1 FROM delivery WHERE delivery_id = $1', [first]);
  // The locked delivery and its attempts remain, and so does the entry that marks them for deletion.
  await db.store.write((tx) => purgeDeliveries.dropped(tx, 'ws', 100));
  const left = async (table: string) =>
    (await db.other.query(`SELECT DISTINCT delivery_id AS id FROM ${table}`)).rows.map(({ id }) => id);
  expect([await left('delivery'), await left('delivery_attempt')]).toEqual([[first], [first]]);
  await db.other.release();
  await db.store.write((tx) => purgeDeliveries.dropped(tx, 'ws', 100));
  expect([await left('delivery'), await left('delivery_attempt')]).toEqual([[], []]);
});

it('the reward log writer of one workspace does not wait for the reward log of another', async () => {
  const db = await open();
  const record = (hashId: string) => ({
    decisionId: `dec_${hashId}`,
    hashId,
    context: {},
    contentId: 'c',
    candidates: [],
    others: null,
    features: null,
    category: null,
    attributes: [],
    prior: 0.1,
    modelVersion: 0,
    seed: 's',
    policy: null,
    reason: null,
    explanation: null,
    removed: null,
  });
  await db.store.write(async (tx) => {
    for (const [ws, ageMs] of [
      ['ws_b', 9 * DAY_MS],
      ['ws_a', 8 * DAY_MS],
    ] as const) {
      await decisions.add({ ...tx, now: tx.now - ageMs }, ws, record(ws), true);
      await decisions.add({ ...tx, now: tx.now }, ws, record(`${ws}_new`));
      const held = await earnings.lockForUpdate(tx, ws, `dec_${ws}_new`);
      await rewards.record(tx, ws, held!, { reward: 1, earned: 1, parts: undefined });
    }
  });
  await db.other.lock("SELECT 1 FROM reward_head WHERE workspace_id = 'ws_a'");
  expect(await db.store.write((tx) => settleOnce(tx, 'ws_b', 100))).toEqual({ settled: 1, more: false });
  await db.other.release();
});

it('renewing leases and purging rows skip locked rows', async () => {
  const { store, other } = await open();
  const past = (tx: Tx): Tx => ({ ...tx, now: tx.now - LONG_AGO_MS });
  const claimed = await store.write(async (tx) => {
    await webhooks.create(tx, 'ws', webhook('wh'));
    for (let i = 0; i < 4; i++) await fanOuts.start(tx, 'ws', occurrence);
    for (const id of ['a', 'b']) {
      await webhooks.create(past(tx), 'ws', webhook(`wh_${id}`, 1000));
      const answer = { digest: id, status: 202, body: null };
      await idempotency.keep(past(tx), 'ws', id, answer);
      await contacts.add(past(tx), 'ws', 'h', 'decision', id);
      const content = { contentId: 'c', format: 'banner', title: 't', body: 'b' };
      const place = { hashId: 'h', channel: null, surface: null };
      const to = { ...place, decisionId: id, withdrawAt: 1, contactAt: 1, maxContacts: null };
      await messages.add(tx, 'ws', to, content as Parameters<typeof messages.add>[3], content);
      await recentEvents.add(tx, 'ws', [{ number: 1, userId: id, event: 'e', at: tx.now - LONG_AGO_MS }]);
    }
    return deliveries.claim(tx, 'ws', 'wh', 2, 60_000);
  });
  // As many as were asked for, also by the plan that PostgreSQL has for a table without statistics.
  expect(claimed).toHaveLength(2);
  await other.query('UPDATE delivery SET due_at = NULL WHERE claimed = 0');
  const first = (table: string, where = 'true') =>
    `SELECT 1 FROM ${table} WHERE ctid = (SELECT min(ctid) FROM ${table} WHERE ${where})`;
  const held = `delivery_id IN ('${claimed.map(({ deliveryId }) => deliveryId).join("', '")}')`;

  for (const [table, work, rows] of [
    [first('idempotency'), idempotency.purge, 1],
    [first('contact'), contacts.purge, 1],
    [first('message'), messages.purge, 1],
    [first('recent_event'), recentEvents.purge, 1],
    [first('webhook', 'lease_until IS NOT NULL'), webhooks.purgeExpired, 1],
    [first('delivery', 'due_at IS NULL'), purgeDeliveries.finished, 1],
  ] as const) {
    await other.lock(table);
    expect(
      await store.write((tx) =>
        work(tx, 'ws', 10, {
          events: null,
          decisions: null,
          notifications: null,
          eventIds: null,
          outcomes: null,
        }),
      ),
      table,
    ).toBe(rows);
    await other.release();
  }
  await other.lock(first('delivery', held));
  await store.write((tx) => deliveryClaims.renew(tx, claimed, 7_200_000));
  const renewed = await other.query('SELECT count(*)::int AS n FROM delivery WHERE due_at > $1', [
    Date.now() + 3_600_000,
  ]);
  expect(renewed.rows[0].n).toBe(1);
});
