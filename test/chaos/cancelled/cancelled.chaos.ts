import { expect, it } from 'vitest';
import { databaseOn, ENGINES } from '../../support/postgres/engines.ts';
import { throughStorm } from '../../support/vendors/storm.ts';

/** SVC_CANCELLED overrides the number of notifications. */
const NOTIFICATIONS = Number(process.env.SVC_CANCELLED ?? 10_000);

it.each(ENGINES)(
  `a third of ${NOTIFICATIONS} notifications is cancelled at random on %s while the node is killed, and what was answered holds`,
  async (engine) => {
    const ended = await throughStorm({
      notifications: NOTIFICATIONS,
      perSecond: 50,
      kills: 10,
      deduplicates: true,
      mostInRow: 4,
      cancelled: 0.33,
      database: await databaseOn(engine),
      seed: `${engine} full`,
    });
    console.log({ engine, ...ended });
    expect(ended.delivered + ended.uncertain + ended.refused + ended.cancelled).toBe(NOTIFICATIONS);
  },
);
