import type { Migration } from './migration.ts';

/** What providers accepted, by address, and what is known of their receipts. */
export const receiptTables: Migration = {
  id: 12,
  up: (d) => [
    `CREATE TABLE notification_send (
      workspace_id TEXT NOT NULL,
      notification_id TEXT NOT NULL,
      address_hash TEXT NOT NULL,
      provider TEXT NOT NULL,
      status TEXT NOT NULL,
      message_id TEXT,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, notification_id, address_hash)
    )`,
    `CREATE INDEX notification_send_message ON notification_send (workspace_id, provider, message_id)
      WHERE message_id IS NOT NULL`,
    // A receipt may arrive before the identifier of its message is stored.
    `CREATE TABLE early_receipt (
      workspace_id TEXT NOT NULL,
      provider TEXT NOT NULL,
      message_id TEXT NOT NULL,
      failure TEXT,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, provider, message_id)
    )`,
    'CREATE INDEX early_receipt_at ON early_receipt (workspace_id, at_ms)',
    // The receipts that changed an address: a replayed one must not change it again.
    `CREATE TABLE receipt_seen (
      workspace_id TEXT NOT NULL,
      provider TEXT NOT NULL,
      receipt_id TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, provider, receipt_id)
    )`,
  ],
};
