import type { IndexDefinition, Migration } from './migration.ts';

const index = (name: string, on: string): IndexDefinition => ({ name, on, unique: false });

/** What lists of a workspace are read by: newest first, also of one user or in one state. */
const INDEXES: readonly IndexDefinition[] = [
  index('notification_by_time', 'notification (workspace_id, created_at)'),
  index('notification_of_user', 'notification (workspace_id, hash_id, created_at)'),
  index('notification_by_status', 'notification (workspace_id, status, created_at)'),
  index('delivery_of_workspace', 'delivery (workspace_id, occurred_at)'),
  index('delivery_by_status', 'delivery (workspace_id, status, occurred_at)'),
];

export const lists: Migration = {
  id: 16,
  indexes: () => INDEXES,
  up: () => INDEXES.map(({ name, on }) => `CREATE INDEX IF NOT EXISTS ${name} ON ${on}`),
};
