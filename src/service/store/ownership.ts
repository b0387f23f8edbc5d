/** Distinguishes this program's databases from those of other programs, for both engines. */

/** Tables that every version of this program has created. */
const OWN_TABLES = ['schema_migration', 'workspace', 'api_key', 'event'] as const;

/** An empty table that marks a PostgreSQL database as this program's. */
export const MARKER_TABLE = 'svc_decisioning_service';

/** True if a database holds tables, and none of this program's. */
export function isForeign(tables: readonly string[]): boolean {
  return tables.length > 0 && !tables.includes(MARKER_TABLE) && !hasOwnTables(tables);
}

function hasOwnTables(tables: readonly string[]): boolean {
  return OWN_TABLES.every((name) => tables.includes(name));
}
