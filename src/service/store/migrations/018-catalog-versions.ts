import type { Migration } from './migration.ts';

/** The versions of the catalogs of workspaces. A workspace without one uses the catalog of the service. */
export const catalogVersionTables: Migration = {
  id: 18,
  up: (d) => [
    `CREATE TABLE catalog_version (
      workspace_id TEXT NOT NULL,
      version ${d.bigint} NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      author TEXT,
      note TEXT,
      revert_of ${d.bigint},
      bytes ${d.bigint} NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (workspace_id, version)
    )`,
    // The newest version and when it was stored: what every node follows. 0: there is none.
    `ALTER TABLE workspace ADD COLUMN catalog_version ${d.bigint} NOT NULL DEFAULT 0`,
    `ALTER TABLE workspace ADD COLUMN catalog_at ${d.bigint} NOT NULL DEFAULT 0`,
    'CREATE INDEX workspace_with_catalog ON workspace (workspace_id) WHERE catalog_version > 0',
  ],
};
