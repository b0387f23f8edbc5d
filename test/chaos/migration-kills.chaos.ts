import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase, startPostgres } from '../support/postgres/postgres.ts';
import { killMigration } from '../support/scenarios/migration-kills.ts';
import { tempDir } from '../support/temp.ts';

const SIZE = { kills: 40, events: 300_000, seed: Number(process.env.SVC_SEED ?? 1) };
const WHOLE = { rows: SIZE.events, changed: SIZE.events };

test('kills of a migration on SQLite: it has happened as a whole or not at all', async () => {
  const found = await killMigration(join(tempDir(), 'data.db'), SIZE);
  expect([...found.states].filter((state) => state !== 'before' && state !== 'after')).toEqual([]);
  expect(found).toMatchObject(WHOLE);
});

test('kills of a migration on PostgreSQL: it has happened as a whole or not at all', async () => {
  const server = await startPostgres({ durable: true });
  try {
    const found = await killMigration(await createDatabase(server.admin), SIZE);
    expect([...found.states].filter((state) => state !== 'before' && state !== 'after')).toEqual([]);
    expect(found).toMatchObject(WHOLE);
  } finally {
    await server.stop();
  }
});
