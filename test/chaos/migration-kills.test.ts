import { expect, test } from 'vitest';
import { emptyDatabase } from '../support/postgres/database.ts';
import { BEFORE_KEYS, killMigrations } from '../support/scenarios/migration-kills.ts';
import { tempDir } from '../support/temp.ts';

// The short form of migration-kills.chaos.ts.
test('a migration that is killed continues, and the data is what it was', async () => {
  const { differing, states } = await killMigrations(() => emptyDatabase(tempDir()), {
    versions: [BEFORE_KEYS],
    kills: 4,
    events: 30_000,
    seed: 3,
  });
  expect(differing).toEqual([]);
  expect(states.size).toBeGreaterThan(0);
});
