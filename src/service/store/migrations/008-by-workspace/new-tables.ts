import type { Dialect } from '../../store.ts';

/** The lanes of background work when this migration was written. */
const LANES = ['clean', 'deliveries', 'fan-out', 'index', 'learn', 'notifications', 'settle'];

/** The new tables with their first rows, and the two small ones that are replaced. */
export const newTables = (d: Dialect): string[] => [
  // The number of the newest event of a workspace, and the event names that ingest indexes (JSON). Ingest locks it.
  `CREATE TABLE event_head (
    workspace_id TEXT PRIMARY KEY,
    number ${d.bigint} NOT NULL,
    names TEXT NOT NULL
  )${d.name === 'postgres' ? ' WITH (fillfactor = 10)' : ''}`,
  // The events that have yet to be indexed by the names added last: numbers in (after_number, up_to].
  `CREATE TABLE event_backlog (
    workspace_id TEXT PRIMARY KEY,
    names TEXT NOT NULL,
    after_number ${d.bigint} NOT NULL,
    up_to ${d.bigint} NOT NULL
  )`,
  // Marks that a workspace has work in a lane at a time: repositories/due.ts.
  `CREATE TABLE due (
    workspace_id TEXT NOT NULL,
    lane TEXT NOT NULL,
    due_at ${d.bigint} NOT NULL,
    due_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, lane, due_at, due_id)
  )`,
  'CREATE INDEX due_look ON due (lane, due_at)',
  ...HEADS[d.name],
  ...LANES.map(
    (lane) =>
      `INSERT INTO due (workspace_id, lane, due_at, due_id) SELECT workspace_id, '${lane}', 0, 'migrated' FROM workspace`,
  ),
  'ALTER TABLE dropped_webhook RENAME TO dropped_webhook_before',
  `CREATE TABLE dropped_webhook (
    workspace_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, webhook_id)
  )`,
  // One whose deliveries are all gone needs no entry.
  `INSERT INTO dropped_webhook (workspace_id, webhook_id) SELECT workspace_id, webhook_id FROM
     (SELECT (SELECT d.workspace_id FROM delivery d WHERE d.webhook_id = b.webhook_id LIMIT 1) AS workspace_id,
        b.webhook_id FROM dropped_webhook_before b) AS found WHERE workspace_id IS NOT NULL`,
  'DROP TABLE dropped_webhook_before',
  'ALTER TABLE fan_out RENAME TO fan_out_before',
  `CREATE TABLE fan_out (
    workspace_id TEXT NOT NULL,
    fan_out_id TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    after_created_at ${d.bigint} NOT NULL,
    after_webhook_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, fan_out_id)
  )`,
  `INSERT INTO fan_out (workspace_id, fan_out_id, occurrence, after_created_at, after_webhook_id)
    SELECT workspace_id, 'fan_' || CAST(seq AS TEXT), occurrence, after_created_at, after_webhook_id
    FROM fan_out_before`,
  'DROP TABLE fan_out_before',
];

/**
 * Positions of streams and index entries have used numbers up to the last one of all workspaces. Where the indexer had
 * not finished, it starts again: it compares these names with the catalog's.
 */
const HEADS = {
  sqlite: [
    `INSERT INTO event_head (workspace_id, number, names) SELECT workspace_id,
       (SELECT COALESCE(max(seq), 0) FROM sqlite_sequence WHERE name IN ('event', 'recent_event')),
       COALESCE((SELECT json_extract(value, '$.names') FROM setting
         WHERE name = 'eventIndex' AND json_extract(value, '$.backlog') IS NULL), '[]')
     FROM workspace`,
  ],
  postgres: [
    `INSERT INTO event_head (workspace_id, number, names) SELECT workspace_id,
       greatest((SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_seq_seq),
         (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM recent_event_seq_seq)),
       COALESCE((SELECT value::json ->> 'names' FROM setting
         WHERE name = 'eventIndex' AND value::json ->> 'backlog' IS NULL), '[]')
     FROM workspace`,
  ],
} as const;
