import { isForeign, MARKER_TABLE } from './ownership.ts';
import { MIGRATIONS, versionOf } from './schema/index.ts';
import { digestOf, type Migration } from './schema/migration.ts';
import { type Sql, StoreForeign, StoreUnusable } from './store.ts';

/** Schema versions before and after. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/**
 * Migrates a database up to the schema version `to`, inside the caller's transaction. Throws StoreUnusable for a database
 * that a newer version has written, or an unpublished one.
 */
export async function migrate(
  sql: Sql,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS,
  to = versionOf(migrations),
): Promise<Migrated> {
  if (sql.dialect.name === 'postgres') await markDatabase(sql);
  const from = await versionIn(sql, migrations);
  await sql.run(
    `CREATE TABLE IF NOT EXISTS schema_version (
       id INTEGER PRIMARY KEY, digest TEXT NOT NULL, applied_at ${sql.dialect.bigint} NOT NULL)`,
  );
  for (const migration of migrations) {
    if (migration.id <= from || migration.id > to) continue;
    for (const statement of migration.up(sql.dialect)) await sql.run(statement);
    await sql.run('INSERT INTO schema_version (id, digest, applied_at) VALUES (?, ?, ?)', [
      migration.id,
      digestOf(migration, sql.dialect),
      now,
    ]);
  }
  return { from, to: Math.max(from, to) };
}

/** The schema version of a database; 0 for a new one. Throws StoreUnusable for a schema that this program cannot read. */
export async function versionIn(sql: Sql, migrations: readonly Migration[] = MIGRATIONS): Promise<number> {
  if (!(await hasTable(sql, 'schema_version'))) {
    // A database of another program may have a table of that name.
    const ours = sql.dialect.name === 'sqlite' || (await hasTable(sql, MARKER_TABLE));
    if (ours && (await hasTable(sql, 'schema_migration'))) throw unpublished();
    return 0;
  }
  const applied = await sql.all<{ id: number; digest: string }>('SELECT id, digest FROM schema_version');
  const from = Math.max(0, ...applied.map(({ id }) => Number(id)));
  const known = versionOf(migrations);
  if (from > known)
    throw new StoreUnusable(
      `the database has schema version ${from}, but this version of svc supports up to ${known}: upgrade svc, or pass another --database`,
    );
  const digests = new Map(migrations.map((each) => [each.id, digestOf(each, sql.dialect)]));
  if (applied.some(({ id, digest }) => digests.get(id) !== digest)) throw unpublished();
  return from;
}

const unpublished = () =>
  new StoreUnusable(
    'its data was written by an unpublished version of svc, which this version does not read: start with new data (`svc data reset`, or another --database)',
  );

async function hasTable(sql: Sql, name: string): Promise<boolean> {
  const query =
    sql.dialect.name === 'postgres'
      ? 'SELECT 1 AS found WHERE to_regclass(?) IS NOT NULL'
      : "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = ?";
  return (await sql.get(query, [name])) !== undefined;
}

/** Marks a PostgreSQL database as this program's. Throws StoreForeign if it holds tables of another program. */
async function markDatabase(sql: Sql): Promise<void> {
  // Tables of extensions are ignored.
  const rows = await sql.all<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT EXISTS (SELECT 1 FROM pg_depend d
                       WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'e')`,
  );
  const tables = rows.map(({ name }) => name);
  if (isForeign(tables))
    throw new StoreForeign(
      `the database holds tables of another program (${tables.slice(0, 3).join(', ')}): nothing was written to it. Create a separate database for svc`,
    );
  if (!tables.includes(MARKER_TABLE)) await sql.run(`CREATE TABLE ${MARKER_TABLE} (one INTEGER PRIMARY KEY)`);
}
