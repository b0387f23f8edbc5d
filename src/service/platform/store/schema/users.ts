import type { Dialect } from '../store.ts';

/** Users: their identity, addresses, consent and contacts, and erasures. */
export const usersTables = (d: Dialect): string[] => [
  // Personal fields are sealed under the key of the user. `created_run` is the run of an import that created the user, and
  // `run_at` when, until anything else changes the user.
  `CREATE TABLE app_user (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name ${d.blob},
    phone ${d.blob},
    account_number ${d.blob},
    traits ${d.blob},
    time_zone TEXT,
    locale TEXT,
    updated_at ${d.bigint} NOT NULL,
    phones ${d.blob},
    emails ${d.blob},
    created_run TEXT,
    run_at ${d.bigint},
    PRIMARY KEY (workspace_id, hash_id)
  )`,
  'CREATE INDEX app_user_by_update ON app_user (workspace_id, updated_at)',
  'CREATE INDEX app_user_of_run ON app_user (workspace_id, created_run, user_id) WHERE created_run IS NOT NULL',
  // The sealed key of a user. Without it, the personal fields cannot be read.
  `CREATE TABLE user_key (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    sealed ${d.blob} NOT NULL,
    PRIMARY KEY (workspace_id, hash_id)
  )`,
  `CREATE TABLE device (
    workspace_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    address_hash TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    token ${d.blob} NOT NULL,
    created_at ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, channel, address_hash)
  )`,
  'CREATE INDEX device_user ON device (workspace_id, hash_id)',
  `CREATE TABLE address_suppression (
    workspace_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    address_hash TEXT NOT NULL,
    category TEXT NOT NULL,
    reason TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, channel, address_hash, category)
  )`,
  `CREATE TABLE consent (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    category TEXT NOT NULL,
    state TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, hash_id, channel, category)
  )`,
  // What counts against a daily cap.
  `CREATE TABLE contact (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, hash_id, at_ms, id)
  )`,
  'CREATE INDEX contact_by_age ON contact (workspace_id, at_ms)',
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
  // Deletions of the users that a run of an import created: the events above `after_number`, up to `up_to`, have yet to be
  // searched for their users, and then the users after `after_user`.
  `CREATE TABLE user_deletion (
    workspace_id TEXT NOT NULL,
    deletion_id TEXT NOT NULL,
    run TEXT NOT NULL,
    dry_run INTEGER NOT NULL,
    after_number ${d.bigint} NOT NULL,
    up_to ${d.bigint} NOT NULL,
    after_user ${d.blob},
    found ${d.bigint} NOT NULL,
    kept ${d.bigint} NOT NULL,
    requested_at ${d.bigint} NOT NULL,
    due_at ${d.bigint},
    ended_at ${d.bigint},
    PRIMARY KEY (workspace_id, deletion_id)
  )`,
  'CREATE INDEX user_deletion_due ON user_deletion (workspace_id) WHERE due_at IS NOT NULL',
  'CREATE INDEX user_deletion_of_run ON user_deletion (workspace_id, run)',
];
