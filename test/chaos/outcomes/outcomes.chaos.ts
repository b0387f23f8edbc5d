import { test } from 'vitest';
import { createDatabase, startPostgres } from '../../support/postgres/postgres.ts';
import { shakeSubscriptions } from './shake.ts';

/** How often each engine is shaken. */
const RUNS = Number(process.env.SVC_CHAOS_RUNS ?? 250);

test.each(['SQLite', 'PostgreSQL'])(
  'subscriptions that are disabled and enabled lose no outcome on %s, however often they are shaken',
  async (engine) => {
    const server = engine === 'SQLite' ? undefined : await startPostgres({ durable: true });
    try {
      for (let run = 0; run < RUNS; run++) {
        const shaken = await shakeSubscriptions({
          database: server && (await createDatabase(server.admin)),
          nodes: server ? 2 : 1,
          subscriptions: 3,
          outcomes: 200,
          switches: 40,
          seed: `${engine} ${run}`,
        });
        console.log(JSON.stringify({ engine, run, ...shaken }));
      }
    } finally {
      await server?.stop();
    }
  },
  12 * 3_600_000,
);
