import { expect, it } from 'vitest';
import { onPostgres, postgresDatabase } from '../../support/postgres/database.ts';
import { shakeSubscriptions, startNodes } from './shake.ts';

// The short form of outcomes.chaos.ts.
it('subscriptions that are disabled and enabled lose no outcome when nodes and handlers are killed', async () => {
  const nodes = await startNodes(onPostgres ? await postgresDatabase() : undefined, onPostgres ? 2 : 1);
  const shaken = await shakeSubscriptions(nodes, {
    subscriptions: 3,
    outcomes: 120,
    switches: 20,
    seed: 'short',
  });
  expect(shaken.nodeKills).toBeGreaterThan(0);
  expect(shaken.handlerKills).toBeGreaterThan(0);
  expect(shaken.disabled).toBeGreaterThan(0);
}, 400_000);
