import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Clock } from '../../../src/kit/clock.ts';
import { createDatabase, dropDatabase } from './postgres.ts';

/** True in the run of the shared tests on PostgreSQL (vitest.config.ts). */
export const onPostgres = process.env.SVC_TEST_ENGINE === 'postgres';

type AtEnd = (end: () => Promise<void>) => void;

/**
 * A new PostgreSQL database that goes away with the test, unless `atEnd` is called with what drops it: with the tables and
 * no rows, or without tables.
 */
export async function postgresDatabase({
  empty = false,
  atEnd = onTestFinished as AtEnd,
} = {}): Promise<string> {
  const admin = inject('postgres');
  const database = await createDatabase(admin, empty ? undefined : inject('migrated'));
  atEnd(() => dropDatabase(admin, database));
  return database;
}

/** A new database for a test: on PostgreSQL with the tables and no rows; an SQLite file does not exist yet. */
export async function freshDatabase(folder: string, atEnd?: AtEnd): Promise<string> {
  return onPostgres ? postgresDatabase({ atEnd }) : join(folder, 'data.db');
}

/** A new database without tables, for a test of migrations. */
export async function emptyDatabase(folder: string): Promise<string> {
  return onPostgres ? postgresDatabase({ empty: true }) : join(folder, 'data.db');
}

/**
 * Makes a PostgreSQL database use a test's clock, by a function that shadows the server's. Returns the function that
 * synchronizes it with the clock.
 */
export async function tellTime(database: string, clock: Clock): Promise<() => Promise<void>> {
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  // Without a table, because a database with tables of another program is refused.
  const set = () =>
    `CREATE OR REPLACE FUNCTION test_time.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      $$ SELECT pg_catalog.clock_timestamp() + ${clock.now() - Date.now()} * interval '1 ms' $$`;
  await run(
    'CREATE SCHEMA IF NOT EXISTS test_time',
    set(),
    `ALTER DATABASE ${new URL(database).pathname.slice(1)} SET search_path = test_time, pg_catalog, public`,
  );
  // Two replacements at once would fail, so those who ask during one share the next.
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      running = run(set());
      return running;
    });
    return next;
  };
}

/** The content of a database as text, in which unencrypted values can be found. */
export async function contentsOf(database: string): Promise<string> {
  if (!onPostgres) {
    const files = [database, `${database}-wal`].filter((file) => existsSync(file));
    return files.map((file) => readFileSync(file, 'latin1')).join('\n');
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query("SET bytea_output = 'escape'");
  const tables = await client.query(
    "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')",
  );
  const rows: string[] = [];
  for (const { name } of tables.rows)
    rows.push(...(await client.query(`SELECT t::text AS row FROM ${name} t`)).rows.map(({ row }) => row));
  await client.end();
  return rows.join('\n');
}
