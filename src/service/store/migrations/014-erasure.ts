import type { Migration } from './migration.ts';

/** A key per user, further addresses, and the erasure of users. */
export const erasureTables: Migration = {
  id: 14,
  indexes: (d) => (d.name === 'postgres' ? [OF_USER] : []),
  up: (d) => [
    // The key of the personal fields of a user, sealed with the data key. Destroyed on erasure.
    `CREATE TABLE user_key (
      workspace_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      sealed ${d.blob} NOT NULL,
      PRIMARY KEY (workspace_id, hash_id)
    )`,
    // Lists of further addresses (JSON, sealed).
    `ALTER TABLE app_user ADD COLUMN phones ${d.blob}`,
    `ALTER TABLE app_user ADD COLUMN emails ${d.blob}`,
    // An erasure and how far it has come: the user id is sealed, and null once nothing is left to erase. The row stays
    // for the files of other nodes. `due_at`: when to go on.
    `CREATE TABLE erasure (
      workspace_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      user_id ${d.blob},
      phase TEXT NOT NULL,
      after_number ${d.bigint} NOT NULL,
      up_to ${d.bigint} NOT NULL,
      after_id TEXT NOT NULL,
      requested_at ${d.bigint} NOT NULL,
      due_at ${d.bigint},
      PRIMARY KEY (workspace_id, hash_id)
    )`,
    `CREATE INDEX IF NOT EXISTS ${OF_USER.name} ON ${OF_USER.on}`,
  ],
};

const OF_USER = {
  name: 'notification_of_user',
  unique: false,
  on: 'notification (workspace_id, hash_id)',
} as const;
