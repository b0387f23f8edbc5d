import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { runSvc } from '../../../../support/process/run-svc.ts';

async function connect(database: string): Promise<pg.Client> {
  const client = new pg.Client(database);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const tables = async (client: pg.Client) =>
  (
    await client.query(`SELECT schemaname || '.' || relname AS name FROM pg_stat_user_tables ORDER BY name`)
  ).rows.map(({ name }) => name);

it.each([
  ['serve', 'migrate'],
  ['serve', '--port', '0'],
  ['data', 'export'],
])('svc %s %s leaves a database of another program unchanged', async (...argv) => {
  const database = await postgresDatabase({ empty: true });
  const client = await connect(database);
  await client.query('CREATE TABLE schema_migration (id INTEGER); CREATE TABLE event (id INTEGER)');
  const words = argv.filter((word) => word !== undefined);
  const run = await runSvc([...words, '--database', database, '--json']);
  expect([run.code, run.stdout]).toEqual([2, '']);
  const { error } = JSON.parse(run.stderr);
  expect(error.message).toMatch(/^the database holds tables of another program \((event|schema_migration), /);
  expect(error.hint).toContain('CREATE DATABASE svc');
  expect(await tables(client)).toEqual(['public.event', 'public.schema_migration']);
});

it('accepts a separate schema beside another program', async () => {
  const shared = await postgresDatabase({ empty: true });
  const client = await connect(shared);
  await client.query('CREATE TABLE note (text TEXT); CREATE SCHEMA svc');
  const own = `${shared}?options=${encodeURIComponent('-c search_path=svc')}`;
  expect(await runSvc(['serve', 'migrate', '--database', own])).toMatchObject({ code: 0, stderr: '' });
  expect(await runSvc(['serve', 'migrate', '--database', own])).toMatchObject({ code: 0, stderr: '' });
  expect(await tables(client)).toContain('svc.svc_decisioning_service');
});
