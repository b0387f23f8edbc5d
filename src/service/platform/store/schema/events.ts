import type { Dialect } from '../store.ts';

/** The event log of each workspace, and what is counted of it. */
export const eventsTables = (d: Dialect): string[] => [
  // Numbers of a workspace are in the order of commits (event-heads.ts). `origin` is null for an event from a server.
  `CREATE TABLE event (
    workspace_id TEXT NOT NULL,
    number ${d.bigint} NOT NULL,
    user_id TEXT NOT NULL CHECK (length(user_id) BETWEEN 1 AND 256),
    event TEXT NOT NULL CHECK (length(event) BETWEEN 1 AND 256),
    timestamp TEXT NOT NULL CHECK (length(timestamp) BETWEEN 1 AND 256),
    properties TEXT,
    event_id TEXT,
    origin TEXT CHECK (origin = 'client'),
    received_at ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, number)
  )`,
  // Hashes of event ids, in runs (events/store/ids/event-ids.ts); `hashes` is null for a run in blocks.
  `CREATE TABLE event_id_run (
    workspace_id TEXT NOT NULL,
    run ${d.bigint} NOT NULL,
    ids ${d.bigint} NOT NULL,
    blocks INTEGER NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    state INTEGER NOT NULL,
    hashes ${d.blob},
    PRIMARY KEY (workspace_id, run)
  )`,
  `CREATE TABLE event_id_block (
    workspace_id TEXT NOT NULL,
    run ${d.bigint} NOT NULL,
    block INTEGER NOT NULL,
    hashes ${d.blob} NOT NULL,
    PRIMARY KEY (workspace_id, run, block)
  )`,
  // Hashes cannot be compressed. A block fits into a page.
  ...(d.name === 'postgres'
    ? [
        'ALTER TABLE event_id_run ALTER COLUMN hashes SET STORAGE EXTERNAL',
        'ALTER TABLE event_id_block ALTER COLUMN hashes SET STORAGE PLAIN',
      ]
    : []),
  // The events of each run of an import: numbers from `first` to `last`, of one batch. Events without a run have no row.
  `CREATE TABLE event_run (
    workspace_id TEXT NOT NULL,
    first ${d.bigint} NOT NULL,
    last ${d.bigint} NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (workspace_id, first)
  )`,
  'CREATE INDEX event_run_by_run ON event_run (workspace_id, run, first)',
  // The number of the newest event of a workspace, and the event names that ingest indexes (JSON), and whether users are being erased. Ingest locks it.
  `CREATE TABLE event_head (
    workspace_id TEXT PRIMARY KEY,
    number ${d.bigint} NOT NULL,
    names TEXT NOT NULL,
    erasing INTEGER NOT NULL DEFAULT 0
  )${d.name === 'postgres' ? ' WITH (fillfactor = 10)' : ''}`,
  // The events that have yet to be indexed by the names added last: numbers in (after_number, up_to].
  `CREATE TABLE event_backlog (
    workspace_id TEXT PRIMARY KEY,
    names TEXT NOT NULL,
    after_number ${d.bigint} NOT NULL,
    up_to ${d.bigint} NOT NULL
  )`,
  // Events of the names that rules of the catalog count, by user.
  `CREATE TABLE recent_event (
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    event TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    number ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, user_id, event, at_ms, number)
  )${d.withoutRowid}`,
  'CREATE INDEX recent_event_by_age ON recent_event (workspace_id, at_ms)',
  'CREATE INDEX recent_event_by_name ON recent_event (workspace_id, event)',
  // How often each event happened to a user, and when last.
  `CREATE TABLE user_signal (
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    event TEXT NOT NULL,
    count ${d.bigint} NOT NULL,
    last_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, user_id, event)
  )`,
  'CREATE INDEX user_signal_age ON user_signal (workspace_id, last_ms)',
  // How often events were not as planned, by UTC day (days since 1970): stored ones, and those that were refused for it.
  // `event` is empty for what has no row of its own.
  `CREATE TABLE event_violation (
    workspace_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    event TEXT NOT NULL,
    property TEXT NOT NULL,
    rule TEXT NOT NULL,
    count ${d.bigint} NOT NULL,
    refused ${d.bigint} NOT NULL,
    last_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, day, event, property, rule)
  )`,
  // Requests with events that were refused, by hour.
  `CREATE TABLE refused_batch (
    workspace_id TEXT NOT NULL,
    bucket ${d.bigint} NOT NULL,
    n ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, bucket)
  )`,
  // Counts of users' events that are to be corrected: how often the event was deleted, how many are left, and the last one.
  `CREATE TABLE signal_recount (
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    event TEXT NOT NULL,
    deleted ${d.bigint} NOT NULL,
    found ${d.bigint} NOT NULL,
    last_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, user_id, event)
  )`,
  // Deletions of events. `selection` is sealed; `run` is set where all that the run sent is deleted.
  `CREATE TABLE event_deletion (
    workspace_id TEXT NOT NULL,
    deletion_id TEXT NOT NULL,
    selection ${d.blob},
    dry_run INTEGER NOT NULL,
    run TEXT,
    phase TEXT NOT NULL,
    begin_number ${d.bigint} NOT NULL,
    after_number ${d.bigint} NOT NULL,
    up_to ${d.bigint} NOT NULL,
    found ${d.bigint} NOT NULL,
    sample TEXT NOT NULL,
    requested_at ${d.bigint} NOT NULL,
    due_at ${d.bigint},
    ended_at ${d.bigint},
    PRIMARY KEY (workspace_id, deletion_id)
  )`,
  'CREATE INDEX event_deletion_due ON event_deletion (workspace_id) WHERE due_at IS NOT NULL',
  'CREATE INDEX event_deletion_of_run ON event_deletion (workspace_id, run) WHERE run IS NOT NULL',
];
