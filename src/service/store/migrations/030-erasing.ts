import type { Migration } from './migration.ts';

/** Whether users of a workspace are being erased, which ingest learns with the lock that it takes anyway. */
export const erasing: Migration = {
  id: 30,
  up: () => [
    'ALTER TABLE event_head ADD COLUMN erasing INTEGER NOT NULL DEFAULT 0',
    `UPDATE event_head SET erasing = 1 WHERE workspace_id IN
       (SELECT workspace_id FROM erasure WHERE phase <> 'done')`,
  ],
};
