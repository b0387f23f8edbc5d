import { MIGRATIONS, SCHEMA_VERSION } from './migrations/index.ts';
import { type Sql, StoreUnusable } from './store.ts';

/**
 * Brings a database to this program's schema, inside the caller's transaction.
 * Returns the versions before and after. Refuses a database that a newer program has written.
 */
export async function migrate(sql: Sql, now: number): Promise<{ from: number; to: number }> {
  await sql.run(
    `CREATE TABLE IF NOT EXISTS schema_migration (id INTEGER PRIMARY KEY, applied_at ${sql.dialect.bigint} NOT NULL)`,
  );
  const row = await sql.get<{ version: number | null }>('SELECT max(id) AS version FROM schema_migration');
  const from = Number(row?.version ?? 0);
  if (from > SCHEMA_VERSION) {
    throw new StoreUnusable(
      `the data has schema version ${from}, this program knows up to ${SCHEMA_VERSION}: upgrade svc, or name another --database`,
    );
  }
  for (const migration of MIGRATIONS) {
    if (migration.id <= from) continue;
    for (const statement of migration.up(sql.dialect)) await sql.run(statement);
    await sql.run('INSERT INTO schema_migration (id, applied_at) VALUES (?, ?)', [migration.id, now]);
  }
  return { from, to: SCHEMA_VERSION };
}
