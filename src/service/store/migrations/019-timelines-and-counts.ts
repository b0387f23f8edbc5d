import type { Migration } from './migration.ts';

/** Outcomes by user, and what contents earned, counted from the reward log. */
export const timelinesAndCounts: Migration = {
  id: 19,
  up: (d) => [
    // Null for outcomes of earlier versions: their decisions still show the last one.
    'ALTER TABLE outcome ADD COLUMN hash_id TEXT',
    'CREATE INDEX outcome_of_user ON outcome (workspace_id, hash_id, at_ms) WHERE hash_id IS NOT NULL',
    // Per content, or for all with an empty content_id; by the width of the bucket in ms, 0 for all time.
    `CREATE TABLE content_count (
      workspace_id TEXT NOT NULL,
      width ${d.bigint} NOT NULL,
      content_id TEXT NOT NULL,
      bucket ${d.bigint} NOT NULL,
      policy TEXT NOT NULL,
      served ${d.bigint} NOT NULL,
      rewarded ${d.bigint} NOT NULL,
      dismissed ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, width, content_id, bucket, policy)
    )`,
    'CREATE INDEX content_count_age ON content_count (workspace_id, width, bucket)',
    // The last entry of the reward log that is counted.
    `CREATE TABLE content_count_head (
      workspace_id TEXT PRIMARY KEY,
      seq ${d.bigint} NOT NULL
    )`,
    // The whole reward log is counted in the background.
    `INSERT INTO due (workspace_id, lane, due_at, due_id)
     SELECT workspace_id, 'learn', 0, 'counted' FROM workspace WHERE true ON CONFLICT DO NOTHING`,
  ],
};
