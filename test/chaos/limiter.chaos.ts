import { expect, test } from 'vitest';
import { createDatabase, startPostgres } from '../support/postgres/postgres.ts';
import { type LimiterFigures, limitOnPostgres, limitOnSqlite } from '../support/scenarios/limiter-suite.ts';
import { tempDir } from '../support/temp.ts';

const SEED = process.env.SVC_SEED ?? 'limiter';

function exact(figures: LimiterFigures): void {
  console.log(JSON.stringify(figures));
  expect(figures).toMatchObject({ wronglyAllowed: 0, wronglyRefused: 0, faults: [] });
  expect(figures.operations).toBeGreaterThanOrEqual(1_000_000);
  expect(Math.min(figures.admitted, figures.refused)).toBeGreaterThan(50_000);
}

test('a million requests on SQLite: none wrongly admitted or refused', async () => {
  const figures = await limitOnSqlite(tempDir(), 1_000_000, SEED);
  exact(figures);
  expect(Math.min(figures.jumps, figures.kills, figures.reboots)).toBeGreaterThan(0);
});

test('a million requests on PostgreSQL: none wrongly admitted or refused', async () => {
  const server = await startPostgres();
  try {
    exact(await limitOnPostgres(await createDatabase(server.admin), 1_000_000, SEED));
  } finally {
    await server.stop();
  }
});
