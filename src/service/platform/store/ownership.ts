/** Distinguishes this program's databases from those of other programs, for both engines. */

/** Tables that every version of this program creates: SQLite files whose header is still in the log have nothing else. */
const OWN_TABLES = ['schema_version', 'workspace', 'api_key', 'event'] as const;

/** An empty table that marks a PostgreSQL database as this program's. */
export const MARKER_TABLE = 'svc_decisioning_service';

/** True if a database holds tables, and none of this program's. */
export function isForeign(tables: readonly string[]): boolean {
  const ours = tables.includes(MARKER_TABLE) || OWN_TABLES.every((name) => tables.includes(name));
  return tables.length > 0 && !ours;
}
