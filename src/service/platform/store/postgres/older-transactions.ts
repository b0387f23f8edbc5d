import type { Sql } from '../store.ts';

/** The time of a server of PostgreSQL; SQLite has one writer, which knows of the freeze. */
export async function serverTime(sql: Sql): Promise<string | undefined> {
  if (sql.dialect.name !== 'postgres') return undefined;
  return (await sql.get<{ at: string }>('SELECT CAST(clock_timestamp() AS text) AS at'))!.at;
}

/** A transaction of a service that began before a time, as what it is; undefined if there is none. */
export async function olderTransaction(sql: Sql, before: string | undefined): Promise<string | undefined> {
  if (before === undefined) return undefined;
  const row = await sql.get<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'svc'
       AND pid <> pg_backend_pid() AND xact_start < CAST(? AS timestamptz) LIMIT 1`,
    [before],
  );
  return row && `a transaction that began before the freeze goes on (PostgreSQL process ${row.pid})`;
}
