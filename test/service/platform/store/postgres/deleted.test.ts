import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { fanOuts } from '../../../../../src/service/webhooks/store/fan-outs.ts';
import { purgeDeliveries } from '../../../../../src/service/webhooks/store/purge.ts';
import { webhooks } from '../../../../../src/service/webhooks/store/webhooks.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';

it('deleting a subscription while an outcome is queued for it leaves no delivery', async () => {
  const store = await PostgresStore.open(await postgresDatabase(), systemClock);
  onTestFinished(() => store.close());
  const count = (sql: string) =>
    store.read(async (tx) =>
      Number((await tx.sql.get<{ n: string }>(`SELECT count(*) AS n FROM ${sql}`))!.n),
    );
  const secret = Buffer.from('secret');
  const events = ['campaign.clicked'];
  await store.write((tx) =>
    webhooks.create(tx, 'ws', { id: 'wh_1', url: 'https://example.com/', events, secret, leaseMs: null }),
  );
  let commit = () => {};
  let queued = () => {};
  const enqueued = new Promise<void>((resolve) => {
    queued = resolve;
  });
  const occurrence = {
    kind: 'campaign.clicked',
    decisionId: 'd',
    contentId: 'c',
    hashId: 'h',
    occurredAt: 0,
  };
  const outcome = store.write(async (tx) => {
    expect(await fanOuts.start(tx, 'ws', occurrence)).toBe(1);
    queued();
    await new Promise<void>((resolve) => {
      commit = resolve;
    });
  });
  await enqueued;
  let deleted = false;
  const deletion = store
    .write((tx) => webhooks.delete(tx, 'ws', 'wh_1'))
    .finally(() => {
      deleted = true;
    });
  await vi.waitUntil(async () => deleted || (await count('pg_locks WHERE NOT granted')) > 0);
  commit();
  await outcome;
  expect(await deletion).toBe(true);
  await store.write((tx) => purgeDeliveries.dropped(tx, 'ws', 10));
  expect(await count('webhook')).toBe(0);
  expect(await count('delivery')).toBe(0);
});
