/** How a database of ours is told from another program's: what every engine knows of it. */

/** Tables that every database of ours has had since the first. */
export const OWN_TABLES = ['schema_migration', 'workspace', 'api_key', 'event'] as const;

/** Marks a database of ours where a file has no place for it; without a row. */
export const MARKER_TABLE = 'svc_decisioning_service';

/** Some database holds tables of another program, and nothing of ours. */
export function isForeign(tables: readonly string[]): boolean {
  return tables.length > 0 && !tables.includes(MARKER_TABLE) && !hasOwnTables(tables);
}

function hasOwnTables(tables: readonly string[]): boolean {
  return OWN_TABLES.every((name) => tables.includes(name));
}
