import type { Migration } from './migration.ts';

/** Devices of users, and addresses to which nothing may be sent. `address_hash` is keyed (crypto/address-hash.ts). */
export const addressTables: Migration = {
  id: 11,
  up: (d) => [
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
    // An empty category stands for all of them.
    `CREATE TABLE address_suppression (
      workspace_id TEXT NOT NULL,
      channel TEXT NOT NULL,
      address_hash TEXT NOT NULL,
      category TEXT NOT NULL,
      reason TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, channel, address_hash, category)
    )`,
  ],
};
