import { expect, it } from 'vitest';
import { onPostgres, postgresDatabase } from '../../support/postgres/database.ts';
import { throughStorm } from '../../support/vendors/storm.ts';

// The short form of cancelled.chaos.ts.
it.each([true, false])(
  'nothing is sent after the answer to a cancellation, with kills (drops repeats: %s)',
  async (deduplicates) => {
    const { cancelled, sentBefore, delivered, kills } = await throughStorm({
      notifications: 200,
      perSecond: 40,
      kills: 1,
      mostInRow: 1,
      deduplicates,
      cancelled: 0.5,
      database: onPostgres ? await postgresDatabase() : undefined,
      seed: 'short',
    });
    expect(kills).toBe(1);
    expect(cancelled).toBeGreaterThan(20);
    expect(sentBefore).toBeGreaterThan(5);
    expect(delivered).toBeGreaterThan(50);
  },
  300_000,
);
