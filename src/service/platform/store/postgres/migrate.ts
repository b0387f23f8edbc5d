import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate, type Migrated as Versions, versionIn } from '../migrate.ts';
import { MIGRATIONS, versionOf } from '../schema/index.ts';
import type { IndexDefinition, Migration } from '../schema/migration.ts';
import { type Sql, StoreUnusable } from '../store.ts';
import { isConflict } from './errors.ts';
import { connectionSettings, MIGRATION_TIMEOUT_MS, NOW, prepareSession } from './settings.ts';
import { PostgresSql, postgresDialect } from './transaction.ts';

/** Key of the advisory lock for migrations, so that any number of nodes may start at once. */
const LOCK = 7_300_218_449;
/** Interval between attempts to get it. A node that waited inside a statement would block the building of indexes. */
const LOCK_RETRY_MS = 50;

/** Attempts of a step that fails with a deadlock, as with a node that is starting. */
const ATTEMPTS = 5;

export interface Migrated extends Versions {
  /** True where the rows of workspaces are on the workers of Citus. */
  readonly distributed: boolean;
}

/**
 * Brings a database to this program's schema. Indexes that a migration
 * needs are built before it, one by one and without blocking writers: older nodes work meanwhile, and a run that was
 * interrupted continues with the next one. Each migration itself is one transaction.
 */
export async function migratePostgres(
  url: string,
  where: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated> {
  const newest = versionOf(migrations);
  const client = new pg.Client({ ...connectionSettings(url), query_timeout: MIGRATION_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await prepareSession(client);
    const sql = new PostgresSql(client, where, MIGRATION_TIMEOUT_MS);
    if ((await versionIn(sql, migrations)) === newest)
      return { from: newest, to: newest, distributed: await isDistributed(sql) };
    // A migration of a large table takes long, and the other nodes wait for it.
    for (const name of ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'])
      await client.query(`SET ${name} = 0`);
    await lock(client);
    const from = await versionIn(sql, migrations);
    // In a new database there is nothing to build an index of.
    for (const migration of from === 0 ? [] : migrations.filter(({ id, indexes }) => id > from && indexes)) {
      await inTransaction(client, sql, migrations, migration.id - 1);
      await buildIndexes(sql, migration);
    }
    const { to } = await inTransaction(client, sql, migrations, newest);
    return { from, to, distributed: await isDistributed(sql) };
  } finally {
    await client.end().catch(() => {});
  }
}

async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${LOCK}) AS won`);
    if (rows[0].won) return;
    await sleep(LOCK_RETRY_MS);
  }
}

/** True once the migration that distributes tables has found Citus. */
async function isDistributed(sql: Sql): Promise<boolean> {
  const catalog = await sql.get<{ found: boolean }>(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS found",
  );
  if (!catalog!.found) return false;
  const row = await sql.get("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('due')");
  return row !== undefined;
}

async function inTransaction(
  client: pg.Client,
  sql: Sql,
  migrations: readonly Migration[],
  to: number,
): Promise<Versions> {
  return retried(async () => {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    try {
      const { rows } = await client.query(`SELECT ${NOW} AS now`);
      const versions = await migrate(sql, rows[0].now, migrations, to);
      if (versions.from === 0) await checkEncoding(sql);
      await client.query('COMMIT');
      return versions;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  });
}

async function buildIndexes(sql: Sql, migration: Migration): Promise<void> {
  for (const index of migration.indexes?.(postgresDialect) ?? []) await retried(() => buildIndex(sql, index));
}

/** Builds an index, unless it exists. One whose building was interrupted is invalid, and is built again. */
async function buildIndex(sql: Sql, { name, unique, on }: IndexDefinition): Promise<void> {
  const found = await sql.get<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(?)',
    [name],
  );
  if (found?.valid) return;
  if (found) await sql.run(`DROP INDEX CONCURRENTLY ${name}`);
  await sql.run(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${on}`);
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict((error as Error).cause)) throw error;
    }
  }
}

/** Requires UTF-8: other encodings cannot store every text, and count lengths in bytes. Only for new databases. */
async function checkEncoding(sql: Sql): Promise<void> {
  const row = await sql.get<{ encoding: string }>(
    'SELECT pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()',
  );
  if (row!.encoding === 'UTF8') return;
  throw new StoreUnusable(
    `its encoding is ${row!.encoding} and must be UTF8: create another database with \`createdb --encoding UTF8 --template template0 NAME\``,
  );
}
