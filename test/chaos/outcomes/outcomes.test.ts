import { expect, it } from 'vitest';
import { onPostgres, postgresDatabase } from '../../support/postgres/database.ts';
import { shakeSubscriptions } from './shake.ts';

// The short form of outcomes.chaos.ts.
it('subscriptions that are disabled and enabled lose no outcome when nodes and handlers are killed', async () => {
  const shaken = await shakeSubscriptions({
    database: onPostgres ? await postgresDatabase() : undefined,
    nodes: onPostgres ? 2 : 1,
    subscriptions: 3,
    outcomes: 120,
    switches: 20,
    seed: 'short',
  });
  expect(shaken.nodeKills).toBeGreaterThan(0);
  expect(shaken.handlerKills).toBeGreaterThan(0);
  expect(shaken.disabled).toBeGreaterThan(0);
}, 400_000);
