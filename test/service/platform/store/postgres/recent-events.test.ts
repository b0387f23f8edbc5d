import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { recentEvents } from '../../../../../src/service/events/store/recent-events.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';

const WINDOWS = Array.from({ length: 16 }, (_, i) => ({
  key: `${i}`,
  event: 'viewed',
  since: 1000 - i,
  enough: 5,
}));

it('counting the events of one user reads nothing of another who has nearly all of them', async () => {
  const url = await postgresDatabase();
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  onTestFinished(() => observer.end());
  await observer.query(
    `INSERT INTO recent_event (workspace_id, user_id, event, at_ms, number)
     SELECT 'ws', 'hot', 'viewed', 1000 + i, i FROM generate_series(1, 20000) i`,
  );
  await observer.query(`INSERT INTO recent_event (workspace_id, user_id, event, at_ms, number) VALUES
    ('ws', 'someone', 'viewed', 1001, 1), ('ws', 'someone', 'viewed', 999, 2), ('ws', 'someone', 'opened', 1001, 3)`);
  await observer.query('ANALYZE recent_event');
  const readBy = async () => {
    // Statistics of a session are sent when it is idle.
    await observer.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await observer.query(
      `SELECT COALESCE(sum(idx_tup_read), 0)::int AS tuples FROM pg_stat_user_indexes WHERE relname = 'recent_event'`,
    );
    return rows[0].tuples as number;
  };
  const count = async (user: string) => {
    const counts = await store.read(async (tx) => {
      const counts = await recentEvents.count(tx, 'ws', user, WINDOWS);
      await tx.sql.get('SELECT pg_stat_force_next_flush()');
      return counts;
    });
    // The statistics are sent at the end of the read, which the next one comes after.
    await store.read(async () => {});
    return counts;
  };
  const before = await readBy();
  // Often enough for the server to turn to a plan that is the same for every user.
  for (let i = 0; i < 12; i++)
    expect([...(await count('someone')).values()]).toEqual([1, 2, ...Array(14).fill(2)]);
  expect((await readBy()) - before).toBeLessThan(12 * 16 * 10);
  const beforeHot = await readBy();
  expect([...(await count('hot')).values()]).toEqual(Array(16).fill(5));
  // The windows of one event name share one read.
  expect((await readBy()) - beforeHot).toBeLessThan(16);
});
