import { expect, test } from 'vitest';
import { emptyDatabase } from '../support/postgres/database.ts';
import { killMigration } from '../support/scenarios/migration-kills.ts';
import { tempDir } from '../support/temp.ts';

// The short form of migration-kills.chaos.ts.
test('a migration that is killed has happened as a whole or not at all, and is completed', async () => {
  const events = 30_000;
  const found = await killMigration(await emptyDatabase(tempDir()), { kills: 4, events, seed: 3 });
  expect([...found.states].filter((state) => state !== 'before' && state !== 'after')).toEqual([]);
  expect(found).toMatchObject({ rows: events, changed: events });
});
