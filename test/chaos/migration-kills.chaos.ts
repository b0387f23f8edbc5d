import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase, startPostgres } from '../support/postgres/postgres.ts';
import { killMigrations } from '../support/scenarios/migration-kills.ts';
import { tempDir } from '../support/temp.ts';

const SIZE = { kills: 20, events: 300_000, seed: Number(process.env.SVC_SEED ?? 1) };

test('20 kills of a migration on SQLite: the data is what it was', async () => {
  const { differing, states } = await killMigrations(async () => join(tempDir(), 'data.db'), SIZE);
  expect(differing).toEqual([]);
  expect(states).toContain('between');
});

test('20 kills of a migration on PostgreSQL: the data is what it was', async () => {
  const server = await startPostgres({ durable: true });
  try {
    const { differing, states } = await killMigrations(() => createDatabase(server.admin), SIZE);
    expect(differing).toEqual([]);
    expect(states).toContain('before');
  } finally {
    await server.stop();
  }
});
