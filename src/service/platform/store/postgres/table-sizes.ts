import type { Sql } from '../store.ts';

/** The bytes that each table takes with its indexes and partitions. Undefined where they are on the workers of Citus. */
export async function tableSizes(sql: Sql): Promise<Map<string, number> | undefined> {
  if (sql.dialect.distributed) return undefined;
  const rows = await sql.all<{ name: string; bytes: number }>(
    `SELECT r.relname AS name, SUM(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c
       JOIN pg_class r ON r.oid = COALESCE(pg_partition_root(c.oid), c.oid)
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' GROUP BY 1`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}
