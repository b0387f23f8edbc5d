import type { Migration } from './migration.ts';

/** What users have had of contents with rules on repeats, and what chose a content. */
export const repeats: Migration = {
  id: 10,
  up: (d) => [
    `CREATE TABLE shown_content (
      workspace_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      content_id TEXT NOT NULL,
      times ${d.bigint} NOT NULL,
      last_ms ${d.bigint} NOT NULL,
      closed_ms ${d.bigint},
      PRIMARY KEY (workspace_id, hash_id, content_id)
    )`,
    // Null: the learned policy. Otherwise weights or holdout.
    'ALTER TABLE decision ADD COLUMN policy TEXT',
  ],
};
