import { test } from 'vitest';
import { databasesOn, ENGINES } from '../../support/postgres/engines.ts';
import { shakeSubscriptions, startNodes } from './shake.ts';

/** How often each engine is shaken. */
const RUNS = Number(process.env.SVC_CHAOS_RUNS ?? 250);
/** Databases that are shaken at a time: mostly, a run waits for what a killed node had claimed. */
const AT_ONCE = 3;

test.each(ENGINES)(
  'subscriptions that are disabled and enabled lose no outcome on %s, however often they are shaken',
  async (engine) => {
    const fresh = await databasesOn(engine);
    let next = 0;
    const shaking = async () => {
      const nodes = await startNodes(await fresh(), engine === 'SQLite' ? 1 : 2);
      while (next < RUNS) {
        const run = next++;
        const shaken = await shakeSubscriptions(nodes, {
          subscriptions: 3,
          outcomes: 200,
          switches: 40,
          seed: `${engine} ${process.env.SVC_SEED ?? ''}${run}`,
        });
        console.log(JSON.stringify({ engine, run, ...shaken }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, shaking));
  },
  12 * 3_600_000,
);
