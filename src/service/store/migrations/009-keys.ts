import type { Migration } from './migration.ts';

/** The mode of a workspace, and what is known of a key: its id, its kind and when it ends. */
export const keys: Migration = {
  id: 9,
  up: (d) => [
    // Null for a workspace from before modes, which sends as a live one does.
    'ALTER TABLE workspace ADD COLUMN mode TEXT',
    'ALTER TABLE api_key ADD COLUMN key_id TEXT',
    `ALTER TABLE api_key ADD COLUMN kind TEXT NOT NULL DEFAULT 'test'`,
    // A key is refused from this time on. Null: it has no end.
    `ALTER TABLE api_key ADD COLUMN ends_at ${d.bigint}`,
    // The hash of a random key is no secret, and its start is as unique as an id needs to be.
    `UPDATE api_key SET key_id = 'key_' || substr(key_hash, 1, 24)`,
    'CREATE UNIQUE INDEX api_key_id ON api_key (key_id)',
  ],
};
