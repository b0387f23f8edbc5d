import { expect, test } from 'vitest';
import { postgresDatabase } from '../support/postgres/database.ts';
import { limitOnPostgres } from '../support/scenarios/limiter-suite.ts';

// The short form of limiter.chaos.ts.
test('the limiter on PostgreSQL agrees with a log of all requests', async () => {
  const figures = await limitOnPostgres(await postgresDatabase(), 10_000, 'short');
  expect(figures).toMatchObject({ wronglyAllowed: 0, wronglyRefused: 0, faults: [] });
}, 300_000);
