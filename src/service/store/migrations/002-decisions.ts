import type { Migration } from './migration.ts';

/** Users, decisions, messages, outcomes, rewards and models. */
export const decisions: Migration = {
  id: 2,
  up: (d) => [
    // Personal fields and traits are encrypted (src/service/crypto/cipher.ts) separately, so that an upsert can omit
    // any of them.
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
      PRIMARY KEY (workspace_id, hash_id)
    )`,
    // One row per hashId with a decision, known or not: its lock and its number of decisions.
    `CREATE TABLE decided_user (
      workspace_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      decisions ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, hash_id)
    )`,
    `CREATE TABLE recent_event (
      seq ${d.serial},
      workspace_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      event TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL
    )`,
    'CREATE INDEX recent_event_of_user ON recent_event (workspace_id, user_id, event, at_ms)',
    'CREATE INDEX recent_event_age ON recent_event (at_ms)',
    `CREATE TABLE contact (
      workspace_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      kind TEXT NOT NULL,
      id TEXT NOT NULL,
      PRIMARY KEY (workspace_id, hash_id, at_ms, id)
    )`,
    'CREATE INDEX contact_age ON contact (at_ms)',
    `CREATE TABLE decision (
      seq ${d.serial},
      workspace_id TEXT NOT NULL,
      decision_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      context TEXT NOT NULL,
      content_id TEXT,
      candidates TEXT NOT NULL,
      prior DOUBLE PRECISION,
      model_version ${d.bigint} NOT NULL,
      seed TEXT NOT NULL,
      reward DOUBLE PRECISION
    )`,
    'CREATE UNIQUE INDEX decision_id ON decision (workspace_id, decision_id)',
    'CREATE INDEX decision_open ON decision (at_ms) WHERE reward IS NULL AND content_id IS NOT NULL',
    `CREATE TABLE message (
      workspace_id TEXT NOT NULL,
      decision_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      content_id TEXT NOT NULL,
      format TEXT NOT NULL,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      withdraw_at ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, decision_id)
    )`,
    'CREATE INDEX message_of_user ON message (workspace_id, hash_id, at_ms)',
    'CREATE INDEX message_withdrawal ON message (withdraw_at)',
    `CREATE TABLE outcome (
      workspace_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, kind, id, type)
    )`,
    // The reward log is numbered under the lock of its head, so that numbers are in commit order and the learner
    // cannot miss one.
    `CREATE TABLE reward_head (
      workspace_id TEXT PRIMARY KEY,
      seq ${d.bigint} NOT NULL
    )`,
    `CREATE TABLE reward (
      workspace_id TEXT NOT NULL,
      seq ${d.bigint} NOT NULL,
      decision_id TEXT NOT NULL,
      content_id TEXT NOT NULL,
      context TEXT NOT NULL,
      prior DOUBLE PRECISION NOT NULL,
      was DOUBLE PRECISION,
      reward DOUBLE PRECISION NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, seq)
    )`,
    `CREATE TABLE model_head (
      workspace_id TEXT PRIMARY KEY,
      version ${d.bigint} NOT NULL,
      learned_seq ${d.bigint} NOT NULL
    )`,
    `CREATE TABLE model (
      workspace_id TEXT NOT NULL,
      version ${d.bigint} NOT NULL,
      learned_seq ${d.bigint} NOT NULL,
      body TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, version)
    )`,
  ],
};
