import type { Migration } from './migration.ts';

/** What users said about marketing, the marketing they were sent, and the order in which notifications are sent. */
export const consentTables: Migration = {
  id: 13,
  indexes: (d) => (d.name === 'postgres' ? [BY_PRIORITY] : []),
  up: (d) => [
    // An empty channel or category stands for all of them. The state is in or out.
    `CREATE TABLE consent (
      workspace_id TEXT NOT NULL,
      hash_id TEXT NOT NULL,
      channel TEXT NOT NULL,
      category TEXT NOT NULL,
      state TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, hash_id, channel, category)
    )`,
    // Counted by the caps of the catalog. An empty category: the template has none.
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
    `CREATE INDEX IF NOT EXISTS ${BY_PRIORITY.name} ON ${BY_PRIORITY.on}`,
    'DROP INDEX notification_by_due',
  ],
};

const BY_PRIORITY = {
  name: 'notification_by_priority',
  unique: false,
  on: 'notification (workspace_id, channel, priority, due_at) WHERE due_at IS NOT NULL',
} as const;
