import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { createWorkspace } from '../../../../src/service/admin/accounts.ts';
import { notificationClaims } from '../../../../src/service/notifications/store/notification-claims.ts';
import type {
  ClaimedNotification,
  DispatchResult,
} from '../../../../src/service/notifications/store/notification-rows.ts';
import { notifications } from '../../../../src/service/notifications/store/notifications.ts';
import { type MessageReceipt, receipts } from '../../../../src/service/notifications/store/receipts.ts';
import { connectStore } from '../../../../src/service/platform/open.ts';
import type { Sql, Store, Tx } from '../../../../src/service/platform/store/store.ts';
import { freshDatabase, onPostgres } from '../../../support/postgres/database.ts';
import { outsider } from '../../../support/postgres/row-lock.ts';
import { tempDir } from '../../../support/temp.ts';

const WORKSPACE = 'ws_1';
const HASH = 'a'.repeat(64);
const PROVIDER = 'twilio-sms';

type Work = (tx: Tx) => Promise<unknown>;

/** Two processes on one database. */
async function twoStores() {
  const database = await freshDatabase(tempDir());
  const stores: Store[] = [];
  for (let i = 0; i < 2; i++) {
    const store = await connectStore(database, systemClock);
    onTestFinished(() => store.close());
    stores.push(store);
  }
  await createWorkspace(stores[0]!, WORKSPACE, 'live');
  return {
    one: stores[0]!,
    two: stores[1]!,
    waiters: onPostgres ? (await outsider(database)).waiters : null,
  };
}
type Stores = Awaited<ReturnType<typeof twoStores>>;

let made = 0;

/** A notification that a worker has claimed, and sends. */
async function claimedNotification({ one }: Stores): Promise<ClaimedNotification> {
  const notificationId = `ntf_${++made}`;
  await one.write((tx) =>
    notifications.create(tx, WORKSPACE, {
      ...{ notificationId, hashId: HASH, templateId: 't', channel: 'sms', priority: 'transactional' },
      variables: Buffer.from('v'),
    }),
  );
  const { claimed } = await one.write((tx) =>
    notificationClaims.claim(tx, WORKSPACE, [{ channel: 'sms', priority: 'transactional', limit: 1 }], {
      leaseMs: 60_000,
      deduplicates: () => false,
      judge: async () => ({ verdict: 'send' }),
    }),
  );
  return claimed[0]![0]!;
}

/** As the dispatcher stores what a provider with receipts answered. */
const storeSend =
  (claimed: ClaimedNotification, result: DispatchResult, messageId: string): Work =>
  async (tx) => {
    await notifications.finish(tx, claimed, result, 0);
    await receipts.recordSend(tx, WORKSPACE, {
      ...{ notificationId: claimed.notificationId, hash: 'h1', provider: PROVIDER },
      ...{ status: 'accepted', messageId },
    });
    await receipts.applyEarly(tx, WORKSPACE, { provider: PROVIDER, channels: ['sms'], messageId });
  };

const storeReceipt =
  (receipt: Pick<MessageReceipt, 'notificationId' | 'messageId' | 'failure'>): Work =>
  (tx) =>
    receipts.apply(tx, WORKSPACE, { provider: PROVIDER, channels: ['sms'], ...receipt });

/**
 * Runs `paused` up to before its statement number `at`, then `other` until it ends or waits for a lock, then the rest.
 * Returns whether the first one has so many statements. SQLite runs one transaction at a time: there, one after the other.
 */
async function interleave(stores: Stores, paused: Work, at: number, other: Work): Promise<boolean> {
  const { one, two, waiters } = stores;
  if (!waiters) {
    await Promise.all([one.write(paused), two.write(other)]);
    return false;
  }
  let go = () => {};
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  let pause = () => {};
  const reached = new Promise<void>((resolve) => {
    pause = resolve;
  });
  let statement = 0;
  const gated = (sql: Sql): Sql => {
    const gate = async () => {
      if (statement++ !== at) return;
      pause();
      await released;
    };
    const behind = <A extends unknown[], R>(call: (...given: A) => Promise<R>) => {
      return async (...given: A) => {
        await gate();
        return call(...given);
      };
    };
    return {
      dialect: sql.dialect,
      all: behind(sql.all.bind(sql)) as Sql['all'],
      get: behind(sql.get.bind(sql)) as Sql['get'],
      run: behind(sql.run.bind(sql)),
    };
  };
  const first = one.write(async (tx) => {
    const sql = gated(tx.sql);
    await paused(new Proxy(tx, { get: (target, key) => (key === 'sql' ? sql : Reflect.get(target, key)) }));
  });
  const stopped = await Promise.race([reached.then(() => true), first.then(() => false)]);
  const second = two.write(other);
  if (stopped) await Promise.race([second, waiters()]);
  go();
  await Promise.all([first, second]);
  return stopped;
}

const stateOf = ({ one }: Stores, { notificationId }: ClaimedNotification) =>
  one.read(async (tx) => ({
    ...(await notifications.get(tx, WORKSPACE, notificationId)),
    sends: (await receipts.sends(tx, WORKSPACE, notificationId)).map(({ status }) => status),
    ...(await tx.sql.get<{ due: number | null; claimed: number }>(
      'SELECT due_at AS due, claimed AS "claimed" FROM notification WHERE workspace_id = ? AND notification_id = ?',
      [WORKSPACE, notificationId],
    )),
    early: (await tx.sql.all('SELECT message_id FROM early_receipt WHERE workspace_id = ?', [WORKSPACE]))
      .length,
  }));

describe.each(['message', 'notification'])('a receipt that names the %s alone', (named) => {
  it.each([
    ['delivered', null],
    ['failed', 'the provider could not deliver it'],
  ])('is not lost while its send commits, whichever comes between: %s', async (status, failure) => {
    const stores = await twoStores();
    for (const receiptFirst of [true, false])
      for (let at = 0, more = true; more; at++) {
        const claimed = await claimedNotification(stores);
        const messageId = `SM${made}`;
        const send = storeSend(claimed, { event: 'accept' }, messageId);
        const receipt = storeReceipt({
          notificationId: named === 'notification' ? claimed.notificationId : undefined,
          messageId: named === 'message' ? messageId : undefined,
          failure,
        });
        more = receiptFirst
          ? await interleave(stores, receipt, at, send)
          : await interleave(stores, send, at, receipt);
        const place = `${receiptFirst ? 'receipt' : 'send'} paused before statement ${at}`;
        expect(await stateOf(stores, claimed), place).toMatchObject({
          ...{ status, failure, due: null, claimed: 0, early: 0 },
          history: [{ status: 'queued' }, { status: 'dispatched' }, { status }],
        });
      }
  });
});

it('a notification that a receipt ended is not sent again by a worker that releases it', async () => {
  const stores = await twoStores();
  const claimed = await claimedNotification(stores);
  await stores.two.write(storeReceipt({ ...claimed, messageId: undefined, failure: null }));
  await stores.one.write((tx) => notifications.release(tx, claimed));
  expect(await stateOf(stores, claimed)).toMatchObject({ status: 'delivered', due: null, claimed: 0 });
});

it('the result of a worker whose claim another one has taken over changes nothing', async () => {
  const stores = await twoStores();
  const claimed = await claimedNotification(stores);
  await stores.two.write((tx) =>
    tx.sql.run('UPDATE notification SET claim = claim + 1 WHERE workspace_id = ? AND notification_id = ?', [
      WORKSPACE,
      claimed.notificationId,
    ]),
  );
  await stores.one.write((tx) => notifications.finish(tx, claimed, { event: 'fail', failure: 'late' }, 0));
  expect(await stateOf(stores, claimed)).toMatchObject({ status: 'dispatched', claimed: 1 });
});
