import { test } from 'vitest';
import { databasesOn, ENGINES } from '../../support/postgres/engines.ts';
import { shakeSubscriptions } from './shake.ts';

/** How often each engine is shaken. */
const RUNS = Number(process.env.SVC_CHAOS_RUNS ?? 250);

test.each(ENGINES)(
  'subscriptions that are disabled and enabled lose no outcome on %s, however often they are shaken',
  async (engine) => {
    const fresh = await databasesOn(engine);
    for (let run = 0; run < RUNS; run++) {
      const shaken = await shakeSubscriptions({
        database: await fresh(),
        nodes: engine === 'SQLite' ? 1 : 2,
        subscriptions: 3,
        outcomes: 200,
        switches: 40,
        seed: `${engine} ${process.env.SVC_SEED ?? ''}${run}`,
      });
      console.log(JSON.stringify({ engine, run, ...shaken }));
    }
  },
  12 * 3_600_000,
);
