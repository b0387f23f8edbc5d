import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { erasures } from '../../../../src/service/erasure/store.ts';
import { catchUps } from '../../../../src/service/webhooks/store/catch-up.ts';
import { deliveries } from '../../../../src/service/webhooks/store/deliveries.ts';
import { fanOuts } from '../../../../src/service/webhooks/store/fan-outs.ts';
import { outcomeLog } from '../../../../src/service/webhooks/store/outcome-log.ts';
import { webhooks } from '../../../../src/service/webhooks/store/webhooks.ts';
import { type AgedStore, agedStore } from '../../../support/retention/aged-store.ts';

const START = Date.parse('2026-07-11T12:00:00Z');
const SECOND = 1000;
const KIND = 'campaign.clicked';
let aged: AgedStore;
let ws: string;
/** Of the latest outcome. */
let time: number;
beforeEach(async () => {
  aged = await agedStore(START);
  ws = aged.workspaces[0]!;
  time = START;
  await subscribe('wh');
});

const subscribe = (id: string) =>
  aged.store.write((tx) =>
    webhooks.create(tx, ws, {
      id,
      url: 'https://example.com/',
      events: [KIND],
      secret: Buffer.from('sealed'),
      leaseMs: null,
    }),
  );
/** An outcome, a millisecond after the one before. */
const occur = async (decisionId: string, kind = KIND, hashId = 'aa') => {
  time = (await latest()) + 1;
  return aged.store.write((tx) =>
    fanOuts.start(tx, ws, { kind, decisionId, contentId: 'c', hashId, occurredAt: time }),
  );
};
const setStatus = (status: 'active' | 'disabled', id = 'wh') =>
  aged.store.write((tx) => webhooks.update(tx, ws, id, { status }));
const catchUp = (since: number, exactly = true, id = 'wh') =>
  aged.store.write((tx) => catchUps.start(tx, ws, id, since, { exactly }));
const proceed = () => aged.store.write((tx) => catchUps.proceed(tx, ws));
/** Goes on while there is more soon. */
const drain = async () => {
  for (let i = 0; i < 20; i++) {
    const next = await proceed();
    if (next === undefined || next > time + 30 * SECOND) break;
  }
};
/** The decisions of the deliveries of a subscription, in the order in which they were stored as due. */
const queued = async (id = 'wh') => {
  const rows = await aged.store.read((tx) =>
    tx.sql.all<{ body: string }>(
      'SELECT body FROM delivery WHERE workspace_id = ? AND webhook_id = ? ORDER BY behind, due_at, occurred_at',
      [ws, id],
    ),
  );
  return rows.map(({ body }) => JSON.parse(body).decisionId as string);
};
/** The clock of a database server goes on by itself: the later one of it and the test's. */
const latest = async () => Math.max(time, await aged.store.read(async (tx) => tx.now));
const move = async (ms: number) => {
  time = (await latest()) + ms;
  await aged.to(time);
};

it('queues what occurred while a subscription was disabled, in order, once and behind new ones', async () => {
  await occur('before');
  await move(SECOND);
  await setStatus('disabled');
  const since = time;
  await occur('missed_1');
  await occur('other', 'campaign.opened');
  await occur('missed_2');
  expect(await aged.store.read((tx) => outcomeLog.count(tx, ws, [KIND], since))).toEqual({
    outcomes: 2,
    erased: 0,
  });
  await move(SECOND);
  await setStatus('active');
  await occur('after');
  expect(await queued()).toEqual(['before', 'after']);
  // From before it was disabled: what it has stays as it is.
  await catchUp(since, false);
  await drain();
  expect(await queued()).toEqual(['before', 'after', 'missed_1', 'missed_2']);
  const claimed = await aged.store.write((tx) => deliveries.claim(tx, ws, 'wh', 3, 10_000));
  expect(claimed.map(({ body }) => JSON.parse(body).decisionId)).toEqual(['before', 'after', 'missed_1']);
  await catchUp(0);
  await drain();
  expect((await queued()).length).toBe(4);
});

it('gives no outcome from before the time that was asked for', async () => {
  await setStatus('disabled');
  await occur('early');
  await setStatus('active');
  await catchUp(time + 1);
  await occur('late');
  await drain();
  await move(61 * SECOND);
  await drain();
  expect(await queued()).toEqual(['late']);
});

it('queues nothing of a time that was not asked for, while it still catches up with an earlier one', async () => {
  await setStatus('disabled');
  await occur('asked');
  await move(SECOND);
  await setStatus('active');
  await catchUp(START, false);
  await drain();
  await move(SECOND);
  await setStatus('disabled');
  await occur('not_asked');
  await move(SECOND);
  await setStatus('active');
  await move(61 * SECOND);
  await drain();
  await move(61 * SECOND);
  await drain();
  expect(await queued()).toEqual(['asked']);
  expect(await aged.store.read((tx) => catchUps.get(tx, ws, 'wh'))).toBeUndefined();
});

it('queues nothing that occurred before there was a subscription', async () => {
  await occur('before');
  await move(SECOND);
  await subscribe('new');
  await setStatus('disabled', 'new');
  const since = await latest();
  await occur('missed');
  await move(SECOND);
  await setStatus('active', 'new');
  await catchUp(since, false, 'new');
  await drain();
  expect(await queued('new')).toEqual(['missed']);
});

it('queues an outcome whose transaction commits after the subscription was enabled', async () => {
  await move(SECOND);
  await setStatus('disabled');
  await setStatus('active');
  await catchUp(time, false);
  await drain();
  // It began before, and did not see the subscription active.
  const occurrence = {
    id: 'out_late',
    kind: KIND,
    decisionId: 'late',
    contentId: 'c',
    hashId: 'aa',
    occurredAt: time - 1,
  };
  await aged.store.write((tx) => outcomeLog.add(tx, ws, occurrence));
  await move(61 * SECOND);
  expect(await proceed()).toBeUndefined();
  expect(await queued()).toEqual(['late']);
  expect(await aged.store.read((tx) => catchUps.get(tx, ws, 'wh'))).toBeUndefined();
});

it('queues no more while many deliveries are due, and goes on after it was disabled again', async () => {
  await setStatus('disabled');
  for (let i = 0; i < 250; i++) await occur(`d${i}`);
  await move(0);
  await setStatus('active');
  await catchUp(START, false);
  await drain();
  expect((await queued()).length).toBe(128);
  await setStatus('disabled');
  expect(await proceed()).toBeUndefined();
  await setStatus('active');
  await aged.store.write((tx) =>
    tx.sql.run("UPDATE delivery SET due_at = NULL, status = 'delivered' WHERE workspace_id = ?", [ws]),
  );
  await move(SECOND);
  await drain();
  await aged.store.write((tx) =>
    tx.sql.run('UPDATE delivery SET due_at = NULL WHERE workspace_id = ?', [ws]),
  );
  await move(SECOND);
  await drain();
  expect((await queued()).sort()).toEqual(Array.from({ length: 250 }, (_, i) => `d${i}`).sort());
});

it('counts the outcomes of erased users, and does not send them', async () => {
  await setStatus('disabled');
  await occur('kept');
  await occur('erased', KIND, 'bb');
  await aged.store.write((tx) => erasures.forget(tx, ws, { hashId: 'bb', userId: undefined }));
  expect(await aged.store.read((tx) => outcomeLog.count(tx, ws, [KIND], START))).toEqual({
    outcomes: 2,
    erased: 1,
  });
  await setStatus('active');
  await catchUp(START);
  await drain();
  expect(await queued()).toEqual(['kept']);
});

it('removes outcomes by age', async () => {
  await occur('old');
  const cutoff = time + 1;
  await occur('new');
  const none = { events: null, decisions: null, notifications: null, eventIds: null };
  const purge = (outcomes: number | null) =>
    aged.store.write((tx) => outcomeLog.purge(tx, ws, 10, { ...none, outcomes }));
  expect([await purge(null), await purge(cutoff), await purge(cutoff)]).toEqual([0, 1, 0]);
});

it('loses nothing however a subscription is disabled, enabled and removed from the queue', async () => {
  const step = fc.record({
    what: fc.constantFrom('occur', 'occur', 'occur', 'disable', 'enable', 'proceed', 'send'),
    id: fc.constantFrom('one', 'two'),
    // Shorter and longer than the margin for transactions that began before.
    ms: fc.constantFrom(SECOND, 100 * SECOND),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      run += 1;
      const ids = { one: `one_${run}`, two: `two_${run}` };
      for (const id of Object.values(ids)) await subscribe(id);
      await move(120 * SECOND);
      const wanted: string[] = [];
      const disabled = new Set<string>();
      const enable = async (id: string) => {
        if (!disabled.delete(id)) return;
        const { disabledAt } = (await aged.store.read((tx) => webhooks.get(tx, ws, id)))!;
        await setStatus('active', id);
        await catchUp(disabledAt!, false, id);
      };
      for (const { what, id: which, ms } of steps) {
        const id = ids[which as 'one' | 'two'];
        await move(ms);
        if (what === 'occur') {
          wanted.push(`d${run}_${wanted.length}`);
          await occur(wanted.at(-1)!);
        } else if (what === 'disable' && !disabled.has(id)) {
          disabled.add(id);
          await setStatus('disabled', id);
        } else if (what === 'enable') await enable(id);
        else if (what === 'proceed') await proceed();
        else
          await aged.store.write((tx) =>
            tx.sql.run('UPDATE delivery SET due_at = NULL WHERE workspace_id = ? AND webhook_id = ?', [
              ws,
              id,
            ]),
          );
      }
      for (const id of Object.values(ids)) await enable(id);
      for (let i = 0; i < 3; i++) {
        await drain();
        await move(121 * SECOND);
      }
      await drain();
      for (const id of Object.values(ids)) {
        expect((await queued(id)).sort()).toEqual([...wanted].sort());
        await aged.store.write((tx) => webhooks.delete(tx, ws, id));
      }
    }),
    { numRuns: 30 },
  );
});
