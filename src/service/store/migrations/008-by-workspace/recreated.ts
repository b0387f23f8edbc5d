import type { Dialect } from '../../store.ts';

/** The prefix of a table whose rows have yet to be moved (move.ts). */
const MOVING = 'moving_';

/** For SQLite: the tables whose key changes, created again beside the old ones. */
export const recreated = (d: Dialect): string[] => [
  ...['decision_id', 'decision_log', 'decision_of_content', 'decision_of_user', 'webhook_workspace'].map(
    (name) => `DROP INDEX ${name}`,
  ),
  'ALTER TABLE event RENAME COLUMN seq TO number',
  'ALTER TABLE recent_event RENAME COLUMN seq TO number',
  ...Object.entries(TABLES(d)).flatMap(([table, columns]) => [
    `ALTER TABLE ${table} RENAME TO ${MOVING}${table}`,
    `CREATE TABLE ${table} ${columns}`,
  ]),
  'CREATE INDEX decision_log ON decision (workspace_id, seq)',
  'CREATE INDEX decision_of_content ON decision (workspace_id, content_id, seq)',
  'CREATE INDEX decision_of_user ON decision (workspace_id, hash_id, seq)',
  'CREATE INDEX webhook_workspace ON webhook (workspace_id, created_at)',
];

const TABLES = (d: Dialect): Record<string, string> => ({
  event: `(
    workspace_id TEXT NOT NULL,
    number ${d.bigint} NOT NULL,
    user_id TEXT NOT NULL CHECK (length(user_id) BETWEEN 1 AND 256),
    event TEXT NOT NULL CHECK (length(event) BETWEEN 1 AND 256),
    timestamp TEXT NOT NULL CHECK (length(timestamp) BETWEEN 1 AND 256),
    properties TEXT,
    received_at ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, number)
  )`,
  recent_event: `(
    workspace_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    event TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    number ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, user_id, event, at_ms, number)
  ) WITHOUT ROWID`,
  admission: `(
    workspace_id TEXT NOT NULL,
    group_name TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    seq ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, group_name, at_ms, seq)
  ) WITHOUT ROWID`,
  webhook: `(
    workspace_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    status TEXT NOT NULL,
    disabled_reason TEXT,
    secret ${d.blob} NOT NULL,
    previous_secret ${d.blob},
    previous_until ${d.bigint},
    lease_until ${d.bigint},
    failing_since ${d.bigint},
    created_at ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, webhook_id)
  )`,
  delivery: `(
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
    in_hand INTEGER NOT NULL,
    due_at ${d.bigint},
    PRIMARY KEY (workspace_id, delivery_id)
  )`,
  delivery_attempt: `(
    workspace_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    at ${d.bigint} NOT NULL,
    status INTEGER,
    error TEXT,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, delivery_id, number)
  )`,
  decision: `(
    workspace_id TEXT NOT NULL,
    decision_id TEXT NOT NULL,
    seq ${d.bigint} NOT NULL,
    hash_id TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    context TEXT NOT NULL,
    content_id TEXT,
    candidates TEXT NOT NULL,
    prior DOUBLE PRECISION,
    model_version ${d.bigint} NOT NULL,
    seed TEXT NOT NULL,
    reward DOUBLE PRECISION,
    category TEXT,
    features TEXT,
    counted_at ${d.bigint},
    outcome TEXT,
    others TEXT,
    PRIMARY KEY (workspace_id, decision_id)
  )`,
});
