import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { contacts } from '../../../../../src/service/users/store/contacts.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';

it('updates the statistics of a table that grows, long before autovacuum looks at it', async () => {
  const url = await postgresDatabase();
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  onTestFinished(() => observer.end());
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  await observer.query('ALTER TABLE contact SET (autovacuum_enabled = off)');
  const statistics = async () => {
    const { rows } = await observer.query(
      `SELECT last_analyze AS at, (SELECT reltuples FROM pg_class WHERE relname = 'contact') AS tuples
       FROM pg_stat_user_tables WHERE relname = 'contact'`,
    );
    return rows[0] as { at: Date | null; tuples: number };
  };
  expect((await statistics()).at).toBeNull();
  let id = 0;
  // The counts of changes are sent once a second, so more than one look may be needed.
  await vi.waitFor(
    async () => {
      for (let writes = 0; writes < 64; writes++)
        await store.write(async (tx) => {
          for (let i = 0; i < 10; i++) await contacts.add(tx, 'ws', `h${id}`, 'decision', `c${id++}`);
        });
      const { at, tuples } = await statistics();
      expect(at).not.toBeNull();
      expect(tuples).toBeGreaterThan(100);
    },
    { timeout: 100_000, interval: 50 },
  );
});
