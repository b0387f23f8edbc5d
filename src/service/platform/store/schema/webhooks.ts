import type { Dialect } from '../store.ts';

/** Subscriptions and the deliveries of outcomes to them. */
export const webhooksTables = (d: Dialect): string[] => [
  `CREATE TABLE webhook (
    workspace_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    status TEXT NOT NULL,
    disabled_reason TEXT,
    disabled_at ${d.bigint},
    filter TEXT,
    description TEXT,
    -- 1 if it names other kinds than those of taps.
    names_more INTEGER NOT NULL DEFAULT 0,
    -- Static headers: their names, and sealed with their values.
    header_names TEXT,
    headers ${d.blob},
    -- 1 while it gets only what it missed: what occurs comes from the log too.
    in_order INTEGER NOT NULL DEFAULT 0,
    -- Deliveries a second, and until when those that were claimed last that long.
    max_rate INTEGER,
    paced_until ${d.bigint},
    secret ${d.blob} NOT NULL,
    previous_secret ${d.blob},
    previous_until ${d.bigint},
    lease_until ${d.bigint},
    failing_since ${d.bigint},
    -- When it was told last that its deliveries are late.
    late_at ${d.bigint},
    created_at ${d.bigint} NOT NULL,
    secret_version INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (workspace_id, webhook_id)
  )`,
  'CREATE INDEX webhook_workspace ON webhook (workspace_id, created_at)',
  'CREATE INDEX webhook_naming_more ON webhook (workspace_id) WHERE names_more = 1',
  "CREATE INDEX webhook_disabled ON webhook (workspace_id) WHERE status = 'disabled'",
  // Subscriptions that are gone while deliveries of theirs are left.
  `CREATE TABLE dropped_webhook (
    workspace_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, webhook_id)
  )`,
  // What subscribers are told, also while none is subscribed. Without a user once the user is erased.
  `CREATE TABLE outcome_log (
    workspace_id TEXT NOT NULL,
    outcome_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    occurred_at ${d.bigint} NOT NULL,
    hash_id TEXT,
    occurrence TEXT,
    PRIMARY KEY (workspace_id, outcome_id)
  )`,
  'CREATE INDEX outcome_log_by_time ON outcome_log (workspace_id, occurred_at, outcome_id)',
  'CREATE INDEX outcome_log_of_user ON outcome_log (workspace_id, hash_id) WHERE hash_id IS NOT NULL',
  // Subscriptions that get what they missed: the outcomes behind a position, up to a time.
  `CREATE TABLE catch_up (
    workspace_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    since_at ${d.bigint} NOT NULL,
    after_at ${d.bigint} NOT NULL,
    after_id TEXT NOT NULL,
    until_at ${d.bigint} NOT NULL,
    next_at ${d.bigint} NOT NULL,
    queued INTEGER NOT NULL,
    -- When it was disabled again: what occurred later was not asked for.
    stop_at ${d.bigint},
    -- 1 while the end of the log is read again.
    again INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, webhook_id)
  )`,
  // Deliveries of a subscription that are sent again: the running one, or the last.
  `CREATE TABLE redelivery (
    workspace_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    since_at ${d.bigint} NOT NULL,
    status TEXT NOT NULL,
    kinds TEXT,
    rate INTEGER,
    started_at ${d.bigint} NOT NULL,
    after_at ${d.bigint} NOT NULL,
    after_id TEXT NOT NULL,
    next_at ${d.bigint} NOT NULL,
    matched INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    ended_at ${d.bigint},
    PRIMARY KEY (workspace_id, webhook_id)
  )`,
  // Attempts by part of time and class of latency.
  `CREATE TABLE webhook_performance (
    workspace_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    span_ms INTEGER NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    class INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, webhook_id, span_ms, at_ms, class)
  )`,
  'CREATE INDEX webhook_performance_by_age ON webhook_performance (workspace_id, span_ms, at_ms)',
  // Outcomes with more subscriptions than one transaction handles.
  `CREATE TABLE fan_out (
    workspace_id TEXT NOT NULL,
    fan_out_id TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    after_created_at ${d.bigint} NOT NULL,
    after_webhook_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, fan_out_id)
  )`,
  `CREATE TABLE delivery (
    workspace_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL,
    occurred_at ${d.bigint} NOT NULL,
    attempts INTEGER NOT NULL,
    first_attempt_at ${d.bigint},
    claim INTEGER NOT NULL,
    claimed INTEGER NOT NULL,
    due_at ${d.bigint},
    -- 1 if new deliveries of the subscription are sent first.
    behind INTEGER NOT NULL DEFAULT 0,
    -- 1 if it was asked for while an attempt was under way: should that fail, the next one is due at once.
    asked INTEGER NOT NULL DEFAULT 0,
    trace TEXT,
    PRIMARY KEY (workspace_id, delivery_id)
  )`,
  'CREATE INDEX delivery_by_age ON delivery (workspace_id, occurred_at) WHERE due_at IS NULL',
  'CREATE INDEX delivery_by_due ON delivery (workspace_id, webhook_id, due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX delivery_by_status ON delivery (workspace_id, status, occurred_at)',
  'CREATE INDEX delivery_by_time ON delivery (workspace_id, webhook_id, occurred_at)',
  'CREATE INDEX delivery_of_workspace ON delivery (workspace_id, occurred_at)',
  `CREATE TABLE delivery_attempt (
    workspace_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    -- From 1, over all series of attempts.
    number INTEGER NOT NULL,
    at ${d.bigint} NOT NULL,
    status INTEGER,
    error TEXT,
    duration_ms INTEGER NOT NULL,
    signed_by TEXT NOT NULL,
    PRIMARY KEY (workspace_id, delivery_id, number)
  )`,
];
