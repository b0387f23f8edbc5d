import type { Migration } from './migration.ts';

/** Workspaces, keys, settings, the rate-limit log, idempotency keys and events. */
export const core: Migration = {
  id: 1,
  up: (d) => [
    `CREATE TABLE setting (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    )`,
    `CREATE TABLE workspace (
      workspace_id TEXT PRIMARY KEY,
      region TEXT,
      hash_key ${d.blob} NOT NULL,
      created_at ${d.bigint} NOT NULL
    )`,
    `CREATE TABLE api_key (
      key_hash TEXT PRIMARY KEY,
      workspace_id TEXT NOT NULL,
      created_at ${d.bigint} NOT NULL
    )`,
    `CREATE TABLE admission (
      workspace_id TEXT NOT NULL,
      group_name TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      seq ${d.serial}
    )`,
    'CREATE INDEX admission_window ON admission (workspace_id, group_name, at_ms)',
    `CREATE TABLE idempotency (
      workspace_id TEXT NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      status INTEGER NOT NULL,
      body TEXT,
      expires_at ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, key)
    )`,
    'CREATE INDEX idempotency_expiry ON idempotency (expires_at)',
    `CREATE TABLE event (
      seq ${d.serial},
      workspace_id TEXT NOT NULL,
      user_id TEXT NOT NULL CHECK (length(user_id) BETWEEN 1 AND 256),
      event TEXT NOT NULL CHECK (length(event) BETWEEN 1 AND 256),
      timestamp TEXT NOT NULL CHECK (length(timestamp) BETWEEN 1 AND 256),
      properties TEXT,
      received_at ${d.bigint} NOT NULL
    )`,
  ],
};
