import type { Migration } from './migration.ts';

/**
 * Work that is done in pieces, so that no transaction grows with the number of subscriptions or deliveries:
 * outcomes that more subscriptions wait for than one piece holds, subscriptions that are gone and whose deliveries are
 * still to be removed, and indexed events of a name that no rule asks about any more.
 */
export const pieces: Migration = {
  id: 5,
  up: (d) => [
    `CREATE TABLE fan_out (
      seq ${d.serial},
      workspace_id TEXT NOT NULL,
      occurrence TEXT NOT NULL,
      after_created_at ${d.bigint} NOT NULL,
      after_webhook_id TEXT NOT NULL
    )`,
    `CREATE TABLE dropped_webhook (
      webhook_id TEXT PRIMARY KEY
    )`,
    'CREATE INDEX recent_event_name ON recent_event (event)',
  ],
};
