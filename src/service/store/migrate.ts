import { MIGRATIONS, SCHEMA_VERSION } from './migrations/index.ts';
import { isForeign, MARKER_TABLE } from './ownership.ts';
import { type Sql, StoreForeign, StoreUnusable } from './store.ts';

/**
 * Migrates a database to a schema version, inside the caller's transaction. Returns the schema versions before and
 * after. Throws StoreUnusable for a database that a newer version has written.
 */
export async function migrate(
  sql: Sql,
  now: number,
  to = SCHEMA_VERSION,
): Promise<{ from: number; to: number }> {
  if (sql.dialect.name === 'postgres') await markDatabase(sql);
  await sql.run(
    `CREATE TABLE IF NOT EXISTS schema_migration (id INTEGER PRIMARY KEY, applied_at ${sql.dialect.bigint} NOT NULL)`,
  );
  const row = await sql.get<{ version: number | null }>('SELECT max(id) AS version FROM schema_migration');
  const from = Number(row?.version ?? 0);
  if (from > SCHEMA_VERSION) {
    throw new StoreUnusable(
      `the database has schema version ${from}, but this version of svc supports up to ${SCHEMA_VERSION}: upgrade svc, or pass another --database`,
    );
  }
  for (const migration of MIGRATIONS) {
    if (migration.id <= from || migration.id > to) continue;
    for (const statement of migration.up(sql.dialect)) await sql.run(statement);
    await sql.run('INSERT INTO schema_migration (id, applied_at) VALUES (?, ?)', [migration.id, now]);
  }
  return { from, to: Math.max(from, to) };
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
