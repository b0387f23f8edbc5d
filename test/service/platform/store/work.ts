import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../../src/kit/id.ts';
import { createWorkspaceRows } from '../../../../src/service/admin/create-workspace.ts';
import { notificationClaims } from '../../../../src/service/notifications/store/notification-claims.ts';
import type { ClaimedNotification } from '../../../../src/service/notifications/store/notification-rows.ts';
import { notifications } from '../../../../src/service/notifications/store/notifications.ts';
import type { Store } from '../../../../src/service/platform/store/store.ts';
import { type ClaimedDelivery, deliveryClaims } from '../../../../src/service/webhooks/store/claims.ts';
import { deliveries } from '../../../../src/service/webhooks/store/deliveries.ts';
import { fanOuts } from '../../../../src/service/webhooks/store/fan-outs.ts';
import { purgeDeliveries } from '../../../../src/service/webhooks/store/purge.ts';
import { deliveryRecords } from '../../../../src/service/webhooks/store/records.ts';
import { webhooks } from '../../../../src/service/webhooks/store/webhooks.ts';
import type { Engine } from './conformance.ts';

const LEASE = 60_000;
const bytes = (text: string) => Buffer.from(text);

/** The guarantees that workers need, with two nodes on one database: no work is claimed twice or lost. */
export function sharesWork(name: string, prepare: () => Promise<Engine>): void {
  describe(`work shared by nodes on ${name}`, () => {
    let engine: Engine;
    let one: Store;
    let two: Store;
    let workspace: string;
    let webhook: string;
    beforeAll(async () => {
      engine = await prepare();
      one = await engine.open();
      two = await engine.open();
    });
    afterAll(async () => {
      await one?.close();
      await two?.close();
      await engine?.close?.();
    });
    beforeEach(async () => {
      workspace = newId('ws');
      webhook = newId('wh');
      await one.write((tx) => createWorkspaceRows(tx, { id: workspace, region: null, mode: 'live' }));
      await subscribe(webhook);
    });

    const subscribe = (id: string, leaseMs: number | null = null) =>
      one.write((tx) =>
        webhooks.create(tx, workspace, {
          id,
          url: 'https://example.com/',
          events: ['campaign.clicked'],
          secret: bytes('present'),
          leaseMs,
        }),
      );
    const enqueue = (decisionId = 'dec_1', kind = 'campaign.clicked') =>
      one.write((tx) =>
        fanOuts.start(tx, workspace, {
          kind,
          decisionId,
          contentId: 'c',
          hashId: 'h',
          occurredAt: tx.now,
        }),
      );
    const claim = (store: Store, limit = 100, leaseMs = LEASE) =>
      store.write((tx) => deliveries.claim(tx, workspace, webhook, limit, leaseMs));
    const list = async () =>
      (await one.read((tx) => deliveryRecords.list(tx, workspace, { webhookId: webhook }, 100))).rows;
    const finish = (store: Store, claimed: ClaimedDelivery, status: number) =>
      store.write((tx) =>
        deliveries.finish(
          tx,
          claimed,
          { status, error: null, retryAfterMs: null, startedAt: tx.now, durationMs: 1.5, endedAt: tx.now },
          0.5,
        ),
      );

    it('queues deliveries for subscriptions to the event in the same workspace', async () => {
      expect(await enqueue()).toBe(1);
      expect(await enqueue('dec_2', 'campaign.opened')).toBe(0);
      const due = await two.read((tx) => deliveries.dueSubscriptions(tx, workspace, '', 1000));
      expect(due).toContainEqual(expect.objectContaining({ webhookId: webhook, failing: false }));
      expect(
        (await one.read((tx) => deliveryRecords.list(tx, 'ws_other', { webhookId: webhook }, 10))).rows,
      ).toEqual([]);
      expect(await one.read((tx) => webhooks.get(tx, 'ws_other', webhook))).toBeUndefined();
    });

    it('lets only one node claim each delivery', async () => {
      for (let i = 0; i < 40; i += 1) await enqueue(`dec_${i}`);
      const taken: string[] = [];
      const node = async (store: Store) => {
        for (;;) {
          const claimed = await claim(store, 3);
          if (claimed.length === 0) return;
          taken.push(...claimed.map(({ deliveryId }) => deliveryId));
          for (const each of claimed) await finish(store, each, 204);
        }
      };
      await Promise.all([node(one), node(two), node(one), node(two)]);
      expect(taken.length).toBe(40);
      expect(new Set(taken).size).toBe(40);
      expect(
        (await list()).every(({ status, attempts }) => status === 'delivered' && attempts.length === 1),
      ).toBe(true);
    });

    it('lets another node claim the work of a crashed one, and accepts only the latest result', async () => {
      await enqueue();
      const [lost] = await claim(one, 1, 0);
      const [again] = await claim(two);
      expect(again).toMatchObject({ deliveryId: lost!.deliveryId, body: lost!.body, claim: lost!.claim + 1 });
      expect(await finish(one, lost!, 500)).toBeUndefined();
      await one.write((tx) => deliveryClaims.release(tx, lost!));
      expect(await claim(one)).toEqual([]);
      await finish(two, again!, 204);
      expect(await list()).toMatchObject([
        { status: 'delivered', attempts: [{ status: 204, durationMs: 2 }] },
      ]);
    });

    it('stores a result once, even if it is reported twice', async () => {
      await enqueue();
      const [claimed] = await claim(one);
      expect(await finish(one, claimed!, 503)).toMatchObject({ delivery: 'pending' });
      expect(await finish(one, claimed!, 503)).toBeUndefined();
      expect(await list()).toMatchObject([{ status: 'pending', attempts: [{ status: 503 }] }]);
    });

    it('schedules a retry, records the failure, and starts a new series on redelivery', async () => {
      await enqueue();
      const [claimed] = await claim(one);
      const verdict = await finish(one, claimed!, 503);
      expect(verdict).toMatchObject({ delivery: 'pending', disable: null });
      const [pending] = await list();
      expect(pending!.nextAttemptAt).toBe(verdict!.delivery === 'pending' ? verdict!.nextAttemptAt : null);
      const again = (id: string) => two.write((tx) => deliveries.redeliver(tx, workspace, webhook, id));
      expect(await again(claimed!.deliveryId)).toBe(true);
      expect(await again('dlv_none')).toBe(false);
      expect(await two.read((tx) => deliveries.dueSubscriptions(tx, workspace, '', 1000))).toContainEqual(
        expect.objectContaining({ webhookId: webhook, failing: true }),
      );
      await finish(two, (await claim(two))[0]!, 410);
      expect(await one.read((tx) => webhooks.get(tx, workspace, webhook))).toMatchObject({
        status: 'disabled',
        disabledReason: 'the receiver answered 410 Gone',
      });
      expect(await list()).toMatchObject([
        { status: 'failed', nextAttemptAt: null, attempts: [{ status: 503 }, { status: 410 }] },
      ]);
    });

    it('signs with both secrets after a rotation', async () => {
      await enqueue();
      const [before] = await claim(one, 1, 0);
      expect(before).toMatchObject({ previousSecret: null, signedBy: [1] });
      await finish(one, before!, 500);
      await one.write((tx) => webhooks.rotate(tx, workspace, webhook, bytes('fresh')));
      await two.write((tx) => deliveries.redeliver(tx, workspace, webhook, before!.deliveryId));
      const [claimed] = await claim(one);
      expect(Buffer.from(claimed!.secret).toString()).toBe('fresh');
      expect(Buffer.from(claimed!.previousSecret!).toString()).toBe('present');
      await finish(one, claimed!, 204);
      const read = (id: string, of = workspace) => two.read((tx) => deliveryRecords.get(tx, of, id));
      expect(await read(claimed!.deliveryId)).toMatchObject({
        body: claimed!.body,
        attempts: [{ signedBy: [1] }, { signedBy: [2, 1] }],
      });
      expect(await two.read((tx) => webhooks.get(tx, workspace, webhook))).toMatchObject({
        secretVersion: 2,
      });
      expect(await read(claimed!.deliveryId, 'ws_other')).toBeUndefined();
    });

    it('deletes a subscription with its deliveries, on request or when its lease expires', async () => {
      await enqueue();
      await finish(one, (await claim(one))[0]!, 500);
      expect(await one.write((tx) => webhooks.delete(tx, workspace, webhook))).toBe(true);
      expect(await one.write((tx) => webhooks.delete(tx, workspace, webhook))).toBe(false);
      const short = newId('wh');
      await subscribe(short, 0);
      expect((await two.read((tx) => webhooks.list(tx, workspace, 10))).rows).toEqual([]);
      expect(await enqueue()).toBe(0);
      expect(await two.write((tx) => webhooks.purgeExpired(tx, workspace, 100))).toBe(1);
      await two.write((tx) => purgeDeliveries.dropped(tx, workspace, 100));
      const left = await one.read((tx) =>
        tx.sql.all('SELECT delivery_id FROM delivery WHERE workspace_id = ?', [workspace]),
      );
      expect(left).toEqual([]);
      expect(await two.write((tx) => purgeDeliveries.finished(tx, workspace, 100))).toBe(0);
    });

    // ---- notifications ------------------------------------------------------------------------------------------

    const queue = async (channel: string) => {
      const notificationId = newId('ntf');
      await one.write((tx) =>
        notifications.create(tx, workspace, {
          notificationId,
          hashId: 'h',
          templateId: 'welcome',
          channel,
          priority: 'transactional',
          variables: bytes('sealed'),
        }),
      );
      return notificationId;
    };
    const take = (store: Store, channel: string, leaseMs = LEASE, channelDeduplicates = true) =>
      store
        .write((tx) =>
          notificationClaims.claim(tx, workspace, [{ channel, priority: 'transactional', limit: 100 }], {
            leaseMs,
            deduplicates: () => channelDeduplicates,
            judge: async () => ({ verdict: 'send' }),
          }),
        )
        .then(({ claimed }) => claimed.flat());
    const end = (store: Store, claimed: ClaimedNotification, event: 'deliver' | 'retry') =>
      store.write((tx) =>
        notifications.finish(
          tx,
          claimed,
          event === 'deliver'
            ? { event, reason: 'accepted' }
            : { event, failure: 'busy', throttled: false, accepted: undefined },
          0,
        ),
      );
    const record = (id: string) => one.read((tx) => notifications.get(tx, workspace, id));

    it('lets only one node claim each notification of a channel', async () => {
      const channel = newId('channel');
      const ids = [await queue(channel), await queue(channel), await queue(channel)];
      const taken = (await Promise.all([take(one, channel), take(two, channel)])).flat();
      expect(taken.map(({ notificationId }) => notificationId).sort()).toEqual(ids.sort());
      for (const each of taken) await end(two, each, 'deliver');
      for (const id of ids) {
        const { status, history } = (await record(id))!;
        expect(status).toBe('delivered');
        expect(history.map((move) => move.status)).toEqual(['queued', 'dispatched', 'delivered']);
      }
      const kept = await one.read((tx) =>
        tx.sql.all<{ variables: unknown }>('SELECT variables FROM notification WHERE workspace_id = ?', [
          workspace,
        ]),
      );
      expect(kept.every(({ variables }) => variables === null)).toBe(true);
    });

    it('repeats a notification after a worker crash only if the channel drops repeats', async () => {
      const [safe, unsafe] = [newId('channel'), newId('channel')];
      const [repeated, doubtful] = [await queue(safe), await queue(unsafe)];
      await take(one, safe, 0);
      await take(one, unsafe, 0);
      const [again] = await take(two, safe);
      expect(again).toMatchObject({ notificationId: repeated, tries: 1, status: 'dispatched' });
      expect(await take(two, unsafe, LEASE, false)).toEqual([]);
      const { status, failure, history } = (await record(doubtful))!;
      expect({ status, moves: history.length }).toEqual({ status: 'failed', moves: 3 });
      expect(failure).toMatch(/whether it was sent is not known/);
    });

    it('retries a busy channel a limited number of times', async () => {
      const channel = newId('channel');
      const id = await queue(channel);
      let tries = 0;
      for (; tries < 20; tries += 1) {
        const [claimed] = await take(one, channel);
        if (!claimed) break;
        expect(claimed.tries).toBe(tries);
        await end(one, claimed, 'retry');
        await one.write((tx) =>
          tx.sql.run('UPDATE notification SET due_at = ? WHERE notification_id = ? AND due_at IS NOT NULL', [
            tx.now,
            id,
          ]),
        );
      }
      expect(tries).toBe(6);
      expect(await record(id)).toMatchObject({ status: 'failed', failure: 'busy' });
    });
  });
}
