import type { IndexDefinition } from '../migration.ts';

const index = (name: string, on: string): IndexDefinition => ({ name, on, unique: false });
const key = (name: string, on: string): IndexDefinition => ({ name, on, unique: true });

/** On PostgreSQL, the indexes that become primary keys (keys.ts). */
export const KEYS: readonly IndexDefinition[] = [
  key('event_key', 'event (workspace_id, seq)'),
  key('recent_event_key', 'recent_event (workspace_id, user_id, event, at_ms, seq)'),
  key('admission_key', 'admission (workspace_id, group_name, at_ms, seq)'),
  key('webhook_key', 'webhook (workspace_id, webhook_id)'),
  key('delivery_key', 'delivery (workspace_id, delivery_id)'),
  key('delivery_attempt_key', 'delivery_attempt (workspace_id, delivery_id, number)'),
];

/** The other indexes of both engines. They have new names, because the old ones exist while they are built. */
export const INDEXES: readonly IndexDefinition[] = [
  index('recent_event_by_age', 'recent_event (workspace_id, at_ms)'),
  index('recent_event_by_name', 'recent_event (workspace_id, event)'),
  index('delivery_by_due', 'delivery (workspace_id, webhook_id, due_at) WHERE due_at IS NOT NULL'),
  index('delivery_by_time', 'delivery (workspace_id, webhook_id, occurred_at)'),
  index('delivery_by_age', 'delivery (workspace_id, occurred_at) WHERE due_at IS NULL'),
  index(
    'decision_by_counting',
    'decision (workspace_id, counted_at) WHERE reward IS NULL AND counted_at IS NOT NULL',
  ),
  index(
    'decision_by_opening',
    'decision (workspace_id, at_ms) WHERE reward IS NULL AND content_id IS NOT NULL AND features IS NULL',
  ),
  index('idempotency_by_expiry', 'idempotency (workspace_id, expires_at)'),
  index('contact_by_age', 'contact (workspace_id, at_ms)'),
  index('message_by_withdrawal', 'message (workspace_id, withdraw_at)'),
  index('notification_by_due', 'notification (workspace_id, channel, due_at) WHERE due_at IS NOT NULL'),
];

/** Indexes of earlier migrations whose first column is not the workspace, or that a key replaces. */
export const OLD_INDEXES = [
  'admission_window',
  'idempotency_expiry',
  'recent_event_of_user',
  'recent_event_age',
  'recent_event_name',
  'contact_age',
  'decision_counting',
  'decision_unsettled',
  'message_withdrawal',
  'notification_due',
  'delivery_due',
  'delivery_recent',
  'delivery_old',
];
