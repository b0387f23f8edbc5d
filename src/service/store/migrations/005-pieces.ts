import type { Migration } from './migration.ts';

/**
 * Work that is done in batches, so that transactions do not grow with the number of subscriptions or deliveries:
 * unfinished fan-outs, deleted subscriptions whose deliveries still exist, and index entries of event names that no
 * rule uses any more.
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
