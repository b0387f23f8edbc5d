import type { IndexDefinition, Migration } from './migration.ts';

/** Migration 16 meant to create this index, under a name that another one had. */
const OF_USER: IndexDefinition = {
  name: 'notification_by_user',
  on: 'notification (workspace_id, hash_id, created_at)',
  unique: false,
};

/** The notifications of a user, newest first. */
export const userNotifications: Migration = {
  id: 24,
  indexes: () => [OF_USER],
  up: () => [
    `CREATE INDEX IF NOT EXISTS ${OF_USER.name} ON ${OF_USER.on}`,
    'DROP INDEX notification_of_user',
  ],
};
