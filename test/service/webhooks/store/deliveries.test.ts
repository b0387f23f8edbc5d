import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../../src/service/platform/store/sqlite/store.ts';
import type { Store } from '../../../../src/service/platform/store/store.ts';
import { type ClaimedDelivery, deliveryClaims } from '../../../../src/service/webhooks/store/claims.ts';
import { deliveries } from '../../../../src/service/webhooks/store/deliveries.ts';
import { fanOuts } from '../../../../src/service/webhooks/store/fan-outs.ts';
import { purgeDeliveries } from '../../../../src/service/webhooks/store/purge.ts';
import { deliveryRecords } from '../../../../src/service/webhooks/store/records.ts';
import { redeliveries } from '../../../../src/service/webhooks/store/redeliveries.ts';
import { webhooks } from '../../../../src/service/webhooks/store/webhooks.ts';
import { tempDir } from '../../../support/temp.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LEASE = 10_000;
const start = Date.parse('2026-01-01T00:00:00Z');

let now: number;
let store: Store;
beforeEach(async () => {
  now = start;
  store = await SqliteStore.open(join(tempDir(), 'service.db'), { now: () => now, sleep: async () => {} });
  onTestFinished(() => store.close());
});

const subscribe = (id = 'wh_1', leaseMs: number | null = null) =>
  store.write((tx) =>
    webhooks.create(tx, 'ws', {
      id,
      url: 'https://example.com/',
      events: ['campaign.clicked'],
      secret: Buffer.from('sealed'),
      leaseMs,
    }),
  );
const enqueue = (decisionId = 'dec_1') =>
  store.write((tx) =>
    fanOuts.start(tx, 'ws', {
      kind: 'campaign.clicked',
      decisionId,
      contentId: 'c',
      hashId: 'h',
      occurredAt: tx.now,
    }),
  );
const claim = (limit = 10) => store.write((tx) => deliveries.claim(tx, 'ws', 'wh_1', limit, LEASE));
const lanes = () => store.read((tx) => deliveries.dueSubscriptions(tx, 'ws', '', 1000));
const list = async () =>
  (await store.read((tx) => deliveryRecords.list(tx, 'ws', { webhookId: 'wh_1' }, 100))).rows;
const webhook = () => store.read((tx) => webhooks.get(tx, 'ws', 'wh_1'));
const finish = (claimed: ClaimedDelivery, status: number | null, retryAfterMs: number | null = null) =>
  store.write((tx) =>
    deliveries.finish(
      tx,
      claimed,
      { status, error: null, retryAfterMs, startedAt: tx.now, durationMs: 5, endedAt: tx.now },
      0.5,
    ),
  );

it('claims no more than the rate of a subscription lasts, over all workers', async () => {
  await subscribe();
  await store.write((tx) => webhooks.update(tx, 'ws', 'wh_1', { maxRate: 4 }));
  for (let i = 0; i < 20; i++) await enqueue(`dec_${i}`);
  const claimed = async () => (await claim(3)).length;
  expect([await claimed(), await claimed(), await claimed()]).toEqual([3, 1, 0]);
  expect(await lanes()).toEqual([]);
  now += 500;
  expect((await lanes()).length).toBe(1);
  expect([await claimed(), await claimed()]).toEqual([2, 0]);
  // What was not used is not saved up.
  now += 60_000;
  expect([await claimed(), await claimed(), await claimed()]).toEqual([3, 1, 0]);
  await store.write((tx) => webhooks.update(tx, 'ws', 'wh_1', { maxRate: null }));
  expect(await claimed()).toBe(3);
});

describe('a delivery on a virtual clock', () => {
  it('is tried ten times over at least 72 h, then failed', async () => {
    await subscribe();
    await enqueue();
    const at: number[] = [];
    for (;;) {
      const [claimed] = await claim();
      at.push(now);
      await finish(claimed!, 500);
      const [delivery] = await list();
      expect(delivery!.attempts.map((attempt) => attempt.at)).toEqual(at);
      if (delivery!.status === 'failed') break;
      expect(delivery!.nextAttemptAt).toBeGreaterThan(now);
      now = delivery!.nextAttemptAt! - 1;
      expect(await claim()).toEqual([]);
      expect(await lanes()).toEqual([]);
      now += 1;
      expect(await lanes()).toMatchObject([{ webhookId: 'wh_1', failing: true }]);
    }
    expect(at.length).toBe(10);
    expect(at.at(-1)! - start).toBeGreaterThanOrEqual(72 * HOUR);
    expect((await webhook())!.status).toBe('active');
  });

  it('waits for a Retry-After', async () => {
    await subscribe();
    await enqueue();
    const [claimed] = await claim();
    await finish(claimed!, 429, 7 * HOUR);
    expect((await list())[0]!.nextAttemptAt).toBe(start + 7 * HOUR);
  });

  it('disables its subscription after five days of nothing but failures, and says so', async () => {
    await subscribe();
    for (let hour = 0; hour < 6 * 24; hour += 1) {
      now = start + hour * HOUR;
      await enqueue(`dec_${hour}`);
      for (const claimed of await claim(1000)) await finish(claimed, 500);
      const { status, disabledReason } = (await webhook())!;
      if (status === 'disabled') {
        expect(disabledReason).toBe('nothing but failures for five days');
        expect(now - start).toBe(5 * DAY);
        expect(await lanes()).toEqual([]);
        expect(await enqueue('dec_later')).toBe(0);
        return;
      }
      expect(now - start).toBeLessThan(5 * DAY);
    }
    expect.unreachable('the subscription was never disabled');
  });

  it('keeps a subscription that occasionally accepts a delivery', async () => {
    await subscribe();
    for (let day = 0; day < 12; day += 1) {
      now = start + day * DAY;
      await enqueue(`dec_${day}`);
      for (const claimed of await claim(1000)) await finish(claimed, day % 4 === 3 ? 204 : 500);
    }
    expect((await webhook())!.status).toBe('active');
  });

  it('restarts its five days when its subscription is made active again', async () => {
    await subscribe();
    await enqueue();
    await finish((await claim())[0]!, 500);
    now += 5 * DAY;
    await finish((await claim())[0]!, 500);
    expect((await webhook())!.status).toBe('disabled');
    await store.write((tx) => webhooks.update(tx, 'ws', 'wh_1', { status: 'active' }));
    now += HOUR;
    await finish((await claim())[0]!, 500);
    expect(await webhook()).toMatchObject({ status: 'active', disabledReason: null });
  });
});

describe('the lease of a delivery', () => {
  it('excludes other workers, can be extended, and expires if the worker crashes', async () => {
    await subscribe();
    await enqueue();
    const [first] = await claim();
    now += LEASE - 1;
    expect(await claim()).toEqual([]);
    await store.write((tx) => deliveryClaims.renew(tx, [first!], LEASE));
    now += LEASE - 1;
    expect(await claim()).toEqual([]);
    now += 1;
    const [second] = await claim();
    expect(second).toMatchObject({ deliveryId: first!.deliveryId, body: first!.body, claim: 2 });
    expect(await finish(first!, 500)).toBeUndefined();
    await store.write((tx) => deliveryClaims.renew(tx, [first!], 10 * LEASE));
    await finish(second!, 204);
    const [delivery] = await list();
    expect(delivery).toMatchObject({ status: 'delivered', nextAttemptAt: null });
    expect(delivery!.attempts.map(({ status }) => status)).toEqual([204]);
  });

  it('keeps the latest fifty attempts, and 500 characters of an error', async () => {
    await subscribe();
    await enqueue();
    for (let durationMs = 1; durationMs <= 52; durationMs++) {
      const [claimed] = await claim();
      const attempt = { status: null, error: 'x'.repeat(100_000), retryAfterMs: null, durationMs };
      await store.write(async (tx) => {
        await deliveries.finish(tx, claimed!, { ...attempt, startedAt: tx.now, endedAt: tx.now }, 0.5);
        await deliveries.redeliver(tx, 'ws', 'wh_1', claimed!.deliveryId);
      });
    }
    const { attempts } = (await list())[0]!;
    expect(attempts.map(({ durationMs }) => durationMs)).toEqual(Array.from({ length: 50 }, (_, i) => i + 3));
    expect(attempts[0]!.error).toBe('x'.repeat(500));
  });

  it('is due at once if released, without counting an attempt', async () => {
    await subscribe();
    await enqueue();
    const [first] = await claim();
    await store.write((tx) => deliveryClaims.release(tx, first!));
    expect((await claim()).length).toBe(1);
    expect((await list())[0]!.attempts).toEqual([]);
  });

  it('is not cut short by a request to send it again', async () => {
    await subscribe();
    await enqueue();
    const [first] = await claim();
    await store.write((tx) => deliveries.redeliver(tx, 'ws', 'wh_1', first!.deliveryId));
    expect(await claim()).toEqual([]);
  });

  it('is followed by another at once if it was asked for meanwhile and fails, also after the last attempt', async () => {
    await subscribe();
    await enqueue();
    for (let attempts = 1; attempts <= 12; attempts++) {
      const [claimed] = await claim();
      await store.write((tx) => deliveries.redeliver(tx, 'ws', 'wh_1', claimed!.deliveryId));
      await finish(claimed!, 500, HOUR);
      expect(await list()).toMatchObject([{ status: 'pending', nextAttemptAt: now }]);
    }
    // Asked for once, it is made once more.
    const [last] = await claim();
    await finish(last!, 500, HOUR);
    expect((await list())[0]!.nextAttemptAt).toBe(now + HOUR);
  });

  it('ends with a success, also if asked for meanwhile, and with a receiver that is gone', async () => {
    await subscribe();
    await enqueue();
    for (const status of [204, 410]) {
      const [claimed] = await claim();
      await store.write((tx) => deliveries.redeliver(tx, 'ws', 'wh_1', claimed!.deliveryId));
      await finish(claimed!, status);
      expect(await claim()).toEqual([]);
      await store.write((tx) => deliveries.redeliver(tx, 'ws', 'wh_1', claimed!.deliveryId));
    }
    expect((await webhook())!.status).toBe('disabled');
  });

  it('is asked for by those that are sent again together, too', async () => {
    await subscribe();
    await enqueue();
    const [claimed] = await claim();
    await store.write((tx) =>
      redeliveries.start(
        tx,
        'ws',
        'wh_1',
        { since: 0, status: 'undelivered', kinds: undefined },
        { rate: null, matched: 0 },
      ),
    );
    await store.write((tx) => redeliveries.proceed(tx, 'ws'));
    await finish(claimed!, 500);
    expect((await list())[0]!.nextAttemptAt).toBe(now);
  });
});

describe('the lease of a subscription', () => {
  it('ends it, with its deliveries, unless renewed', async () => {
    await subscribe('wh_1', 60_000);
    await enqueue();
    now += 59_999;
    expect((await webhook())?.id).toBe('wh_1');
    await store.write((tx) => webhooks.update(tx, 'ws', 'wh_1', { leaseMs: 60_000 }));
    now += 59_999;
    expect((await webhook())?.leaseUntil).toBe(now + 1);
    now += 1;
    expect(await webhook()).toBeUndefined();
    expect((await store.read((tx) => webhooks.list(tx, 'ws', 10))).rows).toEqual([]);
    expect(await claim()).toEqual([]);
    expect(await lanes()).toEqual([]);
    expect(await enqueue('dec_2')).toBe(0);
    expect(await store.write((tx) => webhooks.update(tx, 'ws', 'wh_1', { leaseMs: 60_000 }))).toBe(false);
    expect(await store.write((tx) => webhooks.purgeExpired(tx, 'ws', 10))).toBe(1);
    // One subscription and one delivery.
    expect(await store.write((tx) => purgeDeliveries.dropped(tx, 'ws', 10))).toBe(2);
    const left = await store.read((tx) => tx.sql.all('SELECT * FROM delivery'));
    expect(left).toEqual([]);
  });
});

it('deliveries that ended are removed after thirty days, those still due are not', async () => {
  await subscribe();
  await enqueue();
  await finish((await claim())[0]!, 204);
  await enqueue('dec_2');
  now += 30 * DAY + 1;
  expect(await store.write((tx) => purgeDeliveries.finished(tx, 'ws', 10))).toBe(1);
  expect((await list()).map(({ status }) => status)).toEqual(['pending']);
  expect(await store.read((tx) => tx.sql.all('SELECT * FROM delivery_attempt'))).toEqual([]);
});

it('an outcome that is undone leaves no delivery', async () => {
  await subscribe();
  const undone = store.write(async (tx) => {
    await fanOuts.start(tx, 'ws', {
      kind: 'campaign.clicked',
      decisionId: 'dec_1',
      contentId: 'c',
      hashId: 'h',
      occurredAt: tx.now,
    });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await list()).toEqual([]);
  expect(await lanes()).toEqual([]);
});
