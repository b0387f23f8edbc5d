import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/service/store/migrations/index.ts';
import { createDatabase, startPostgres } from '../support/postgres/postgres.ts';
import { killMigrations } from '../support/scenarios/migration-kills.ts';
import { tempDir } from '../support/temp.ts';

const SIZE = {
  versions: MIGRATIONS.slice(0, -1).map(({ id }) => id),
  kills: 2,
  events: 30_000,
  seed: Number(process.env.SVC_SEED ?? 1),
};

test('kills of a migration of each version on SQLite: the data is what it was', async () => {
  const { differing, states } = await killMigrations(async () => join(tempDir(), 'data.db'), SIZE);
  expect(differing).toEqual([]);
  expect(states).toContain('between');
});

test('kills of a migration of each version on PostgreSQL: the data is what it was', async () => {
  const server = await startPostgres({ durable: true });
  try {
    const { differing, states } = await killMigrations(() => createDatabase(server.admin), SIZE);
    expect(differing).toEqual([]);
    expect(states).toContain('before');
  } finally {
    await server.stop();
  }
});
