import { expect, test } from 'vitest';
import { limitOnSqlite } from '../support/scenarios/limiter-suite.ts';
import { tempDir } from '../support/temp.ts';

// The short form of limiter.chaos.ts.
test('the limiter on SQLite agrees with a log of all requests', async () => {
  const figures = await limitOnSqlite(tempDir(), 20_000, 'short');
  expect(figures).toMatchObject({ wronglyAllowed: 0, wronglyRefused: 0, faults: [] });
}, 300_000);
