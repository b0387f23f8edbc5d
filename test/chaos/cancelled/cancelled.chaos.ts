import { expect, it } from 'vitest';
import { createDatabase, startPostgres } from '../../support/postgres/postgres.ts';
import { throughStorm } from '../../support/vendors/storm.ts';

it.each(['SQLite', 'PostgreSQL'])(
  'a third of 10,000 notifications is cancelled at random on %s while the node is killed, and what was answered holds',
  async (engine) => {
    const server = engine === 'SQLite' ? undefined : await startPostgres({ durable: true });
    try {
      const ended = await throughStorm({
        notifications: 10_000,
        perSecond: 50,
        kills: 10,
        deduplicates: true,
        mostInRow: 4,
        cancelled: 0.33,
        database: server && (await createDatabase(server.admin)),
        seed: `${engine} full`,
      });
      console.log({ engine, ...ended });
      expect(ended.delivered + ended.uncertain + ended.refused + ended.cancelled).toBe(10_000);
    } finally {
      await server?.stop();
    }
  },
);
