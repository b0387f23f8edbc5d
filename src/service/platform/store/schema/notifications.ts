import type { Dialect } from '../store.ts';

/** Notifications, what was sent of them, and receipts of providers. */
export const notificationsTables = (d: Dialect): string[] => [
  `CREATE TABLE notification (
    workspace_id TEXT NOT NULL,
    notification_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    template_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    priority TEXT NOT NULL,
    variables ${d.blob},
    status TEXT NOT NULL,
    history TEXT NOT NULL,
    failure TEXT,
    tries INTEGER NOT NULL,
    claim INTEGER NOT NULL,
    claimed INTEGER NOT NULL,
    due_at ${d.bigint},
    created_at ${d.bigint} NOT NULL,
    send_at ${d.bigint},
    cancelled INTEGER NOT NULL,
    may_have_left INTEGER NOT NULL,
    trace TEXT,
    PRIMARY KEY (workspace_id, notification_id)
  )`,
  'CREATE INDEX notification_by_priority ON notification (workspace_id, channel, priority, due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX notification_by_status ON notification (workspace_id, status, created_at)',
  'CREATE INDEX notification_by_time ON notification (workspace_id, created_at)',
  'CREATE INDEX notification_by_user ON notification (workspace_id, hash_id, created_at)',
  // What is known of each address that a notification was sent to.
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
  'CREATE INDEX notification_send_message ON notification_send (workspace_id, provider, message_id) WHERE message_id IS NOT NULL',
  // Says whether a workspace has sent to an address, on which alone a STOP acts.
  'CREATE INDEX notification_send_by_address ON notification_send (workspace_id, address_hash)',
  // What counts against a cap on marketing.
  `CREATE TABLE marketing_sent (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    notification_id TEXT NOT NULL,
    template_id TEXT NOT NULL,
    category TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, hash_id, notification_id)
  )`,
  'CREATE INDEX marketing_sent_by_age ON marketing_sent (workspace_id, at_ms)',
  // Receipts that came before the result of their send was stored, with what they say of its address.
  `CREATE TABLE early_receipt (
    workspace_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    message_id TEXT NOT NULL,
    failure TEXT,
    kind TEXT,
    category TEXT,
    receipt_id TEXT,
    at_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, provider, message_id)
  )`,
  'CREATE INDEX early_receipt_at ON early_receipt (workspace_id, at_ms)',
  // Receipts that were applied, so that a repeat changes nothing.
  `CREATE TABLE receipt_seen (
    workspace_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    receipt_id TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, provider, receipt_id)
  )`,
  'CREATE INDEX receipt_seen_at ON receipt_seen (workspace_id, at_ms)',
  // Providers that took nothing lately, while a subscription wants to know.
  `CREATE TABLE failing_provider (
    workspace_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    provider TEXT NOT NULL,
    since ${d.bigint} NOT NULL,
    last_at ${d.bigint} NOT NULL,
    failures INTEGER NOT NULL,
    told INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, channel, provider)
  )`,
];
