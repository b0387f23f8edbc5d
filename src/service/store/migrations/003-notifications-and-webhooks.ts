import type { Migration } from './migration.ts';

/**
 * Notifications, subscriptions and deliveries. `due_at` is when a row may next be claimed, null after it ended. A claim
 * sets `due_at` to the end of its lease, so that the row of a crashed worker becomes due again. `claim` counts claims:
 * only the latest may store a result.
 */
export const notificationsAndWebhooks: Migration = {
  id: 3,
  up: (d) => [
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
      in_hand INTEGER NOT NULL,
      due_at ${d.bigint},
      created_at ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, notification_id)
    )`,
    'CREATE INDEX notification_due ON notification (channel, due_at) WHERE due_at IS NOT NULL',
    `CREATE TABLE webhook (
      workspace_id TEXT NOT NULL,
      webhook_id TEXT NOT NULL PRIMARY KEY,
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      status TEXT NOT NULL,
      disabled_reason TEXT,
      secret ${d.blob} NOT NULL,
      previous_secret ${d.blob},
      previous_until ${d.bigint},
      lease_until ${d.bigint},
      failing_since ${d.bigint},
      created_at ${d.bigint} NOT NULL
    )`,
    'CREATE INDEX webhook_workspace ON webhook (workspace_id, created_at)',
    `CREATE TABLE delivery (
      workspace_id TEXT NOT NULL,
      delivery_id TEXT NOT NULL PRIMARY KEY,
      webhook_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      body TEXT NOT NULL,
      status TEXT NOT NULL,
      occurred_at ${d.bigint} NOT NULL,
      attempts INTEGER NOT NULL,
      first_attempt_at ${d.bigint},
      claim INTEGER NOT NULL,
      in_hand INTEGER NOT NULL,
      due_at ${d.bigint}
    )`,
    'CREATE INDEX delivery_due ON delivery (webhook_id, due_at) WHERE due_at IS NOT NULL',
    'CREATE INDEX delivery_recent ON delivery (webhook_id, occurred_at)',
    'CREATE INDEX delivery_old ON delivery (occurred_at) WHERE due_at IS NULL',
    `CREATE TABLE delivery_attempt (
      workspace_id TEXT NOT NULL,
      delivery_id TEXT NOT NULL,
      number INTEGER NOT NULL,
      at ${d.bigint} NOT NULL,
      status INTEGER,
      error TEXT,
      duration_ms INTEGER NOT NULL,
      PRIMARY KEY (delivery_id, number)
    )`,
  ],
};
