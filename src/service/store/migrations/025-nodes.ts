import type { Migration } from './migration.ts';

/** The processes that serve from this store, each of which says from time to time that it is there. */
export const nodeTable: Migration = {
  id: 25,
  up: (d) => [
    `CREATE TABLE node (
      node_id TEXT PRIMARY KEY,
      host TEXT NOT NULL,
      pid ${d.bigint} NOT NULL,
      version TEXT,
      roles TEXT NOT NULL,
      started_at ${d.bigint} NOT NULL,
      seen_at ${d.bigint} NOT NULL
    )`,
  ],
};
