import type { Dialect } from '../store.ts';

/** The decision log, messages, rewards and models. */
export const decisionsTables = (d: Dialect): string[] => [
  // A sequence, because not every version of PostgreSQL has identity columns in partitioned tables.
  ...(d.name === 'postgres' ? ['CREATE SEQUENCE decision_number'] : []),
  // The decision log. `reward` is null until the reward log has an entry; `earned` is what the outcomes of the message are
  // worth, `goals` what its events count for each goal (JSON, millionths by number), `given` the reported rewards (JSON).
  // `tried` is 1 where a learned choice fell on another than the most likely candidate.
  `CREATE TABLE decision (
    workspace_id TEXT NOT NULL,
    decision_id TEXT NOT NULL,
    seq ${d.name === 'postgres' ? "BIGINT NOT NULL DEFAULT nextval('decision_number')" : 'INTEGER NOT NULL'},
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
    policy TEXT,
    tried INTEGER,
    earned DOUBLE PRECISION,
    reason TEXT,
    explanation ${d.blob},
    removed TEXT,
    attributes TEXT,
    goals TEXT,
    given TEXT,
    PRIMARY KEY (workspace_id, decision_id)
  )`,
  'CREATE INDEX decision_by_counting ON decision (workspace_id, counted_at) WHERE reward IS NULL AND counted_at IS NOT NULL',
  'CREATE INDEX decision_log ON decision (workspace_id, seq)',
  'CREATE INDEX decision_of_content ON decision (workspace_id, content_id, seq)',
  'CREATE INDEX decision_of_user ON decision (workspace_id, hash_id, seq)',
  'CREATE INDEX decision_counted ON decision (workspace_id, hash_id, counted_at) WHERE counted_at IS NOT NULL',
  // How many decisions a user has had: the seed of the next one.
  `CREATE TABLE decided_user (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    decisions ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, hash_id)
  )`,
  // How often a content was shown to a user, for rules on repeats.
  `CREATE TABLE shown_content (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    times ${d.bigint} NOT NULL,
    last_ms ${d.bigint} NOT NULL,
    closed_ms ${d.bigint},
    PRIMARY KEY (workspace_id, hash_id, content_id)
  )`,
  // Messages that wait for an app. `contact_at` is the time of the contact for which it was last served or, before that, of
  // its decision, and `max_contacts` the cap of the decision.
  `CREATE TABLE message (
    workspace_id TEXT NOT NULL,
    decision_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    format TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    withdraw_at ${d.bigint} NOT NULL,
    contact_at ${d.bigint} NOT NULL,
    max_contacts INTEGER,
    served_at ${d.bigint},
    channel TEXT,
    surface TEXT,
    PRIMARY KEY (workspace_id, decision_id)
  )`,
  'CREATE INDEX message_by_withdrawal ON message (workspace_id, withdraw_at)',
  'CREATE INDEX message_of_user ON message (workspace_id, hash_id, at_ms)',
  // When an app last polled a channel.
  `CREATE TABLE polled_channel (
    workspace_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, channel)
  )`,
  // What a user did with a message or notification, once per type.
  `CREATE TABLE outcome (
    workspace_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    hash_id TEXT,
    PRIMARY KEY (workspace_id, kind, id, type)
  )`,
  "CREATE INDEX outcome_by_age ON outcome (workspace_id, at_ms) WHERE kind = 'message'",
  'CREATE INDEX outcome_by_time ON outcome (workspace_id, at_ms)',
  'CREATE INDEX outcome_of_user ON outcome (workspace_id, hash_id, at_ms) WHERE hash_id IS NOT NULL',
  // What decisions earned, in the order in which it is learned, and of it what the outcomes of messages are worth. `parts`
  // (JSON) are the parts of the reward that changed, where goals are learned.
  `CREATE TABLE reward (
    workspace_id TEXT NOT NULL,
    seq ${d.bigint} NOT NULL,
    decision_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    context TEXT NOT NULL,
    prior DOUBLE PRECISION NOT NULL,
    was DOUBLE PRECISION,
    reward DOUBLE PRECISION NOT NULL,
    earned_was DOUBLE PRECISION,
    earned DOUBLE PRECISION NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    parts TEXT,
    PRIMARY KEY (workspace_id, seq)
  )`,
  `CREATE TABLE reward_head (
    workspace_id TEXT PRIMARY KEY,
    seq ${d.bigint} NOT NULL
  )`,
  // Snapshots of the learned models, each with the attempt that is storing it, until it is whole.
  `CREATE TABLE model (
    workspace_id TEXT NOT NULL,
    version ${d.bigint} NOT NULL,
    learned_seq ${d.bigint} NOT NULL,
    attempt TEXT,
    at_ms ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, version)
  )`,
  // Their texts, in pieces, so that no statement keeps requests waiting for long.
  `CREATE TABLE model_piece (
    workspace_id TEXT NOT NULL,
    version ${d.bigint} NOT NULL,
    piece ${d.bigint} NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (workspace_id, version, piece)
  )`,
  `CREATE TABLE model_head (
    workspace_id TEXT PRIMARY KEY,
    version ${d.bigint} NOT NULL,
    learned_seq ${d.bigint} NOT NULL
  )`,
  // What contents earned by hour and day; content_id is empty for all. `tried` are those served that were tried to learn.
  `CREATE TABLE content_count (
    workspace_id TEXT NOT NULL,
    width ${d.bigint} NOT NULL,
    content_id TEXT NOT NULL,
    bucket ${d.bigint} NOT NULL,
    policy TEXT NOT NULL,
    served ${d.bigint} NOT NULL,
    rewarded ${d.bigint} NOT NULL,
    dismissed ${d.bigint} NOT NULL,
    tried ${d.bigint} NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, width, content_id, bucket, policy)
  )`,
  'CREATE INDEX content_count_age ON content_count (workspace_id, width, bucket)',
  `CREATE TABLE content_count_head (
    workspace_id TEXT PRIMARY KEY,
    seq ${d.bigint} NOT NULL
  )`,
  // The goals of a workspace, one row per definition. Events after `first_number` up to `number` are counted; those up to
  // `ready_number` were stored before it. Decisions that began to count before `since_ms` do not belong to it.
  `CREATE TABLE goal (
    workspace_id TEXT NOT NULL,
    goal ${d.bigint} NOT NULL,
    goal_id TEXT NOT NULL,
    definition TEXT NOT NULL,
    first_number ${d.bigint} NOT NULL,
    number ${d.bigint} NOT NULL,
    ready_number ${d.bigint} NOT NULL,
    since_ms ${d.bigint} NOT NULL,
    events ${d.bigint} NOT NULL,
    clipped ${d.bigint} NOT NULL,
    unreadable ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, goal)
  )`,
  // What the rewards of decisions up to `swept` follow; locked while events are counted.
  `CREATE TABLE goal_head (
    workspace_id TEXT PRIMARY KEY,
    formula TEXT NOT NULL,
    target TEXT NOT NULL,
    swept ${d.bigint} NOT NULL
  )`,
  // The events of goals, in millionths of a goal; a correction has no value. `decisions` (JSON) are those that earned
  // `counted`.
  `CREATE TABLE goal_event (
    workspace_id TEXT NOT NULL,
    goal ${d.bigint} NOT NULL,
    number ${d.bigint} NOT NULL,
    hash_id TEXT NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    value ${d.bigint},
    counted ${d.bigint} NOT NULL,
    match_key TEXT,
    decisions TEXT,
    PRIMARY KEY (workspace_id, goal, number)
  )`,
  'CREATE INDEX goal_event_of_user ON goal_event (workspace_id, hash_id, at_ms, number)',
  'CREATE INDEX goal_event_by_match ON goal_event (workspace_id, goal, match_key) WHERE match_key IS NOT NULL',
  // Users of whom a decision began to count, or its message was used: their events from then on may count for it.
  `CREATE TABLE goal_recheck (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    from_ms ${d.bigint} NOT NULL,
    number ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, hash_id, from_ms)
  )`,
  // What users earned of goals, in millionths.
  `CREATE TABLE goal_user (
    workspace_id TEXT NOT NULL,
    hash_id TEXT NOT NULL,
    goal ${d.bigint} NOT NULL,
    policy TEXT NOT NULL,
    value ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, hash_id, goal, policy)
  )`,
  'CREATE INDEX goal_user_by_goal ON goal_user (workspace_id, goal)',
  // What contents earned of goals; content_id is empty for all. Sums of values and of their squares in millionths, the most
  // that a user earned, and the decisions from before those that the goal counts.
  `CREATE TABLE goal_count (
    workspace_id TEXT NOT NULL,
    goal ${d.bigint} NOT NULL,
    content_id TEXT NOT NULL,
    policy TEXT NOT NULL,
    converted ${d.bigint} NOT NULL,
    value ${d.bigint} NOT NULL,
    squares ${d.bigint} NOT NULL,
    most ${d.bigint} NOT NULL,
    earlier ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, goal, content_id, policy)
  )`,
  // What contents earned of goals, by hour and by day of the decision, for guards and charts; content_id is empty for all.
  // In millionths, as above, but `squares` and `most` are those of users for contents too.
  `CREATE TABLE goal_by_time (
    workspace_id TEXT NOT NULL,
    width ${d.bigint} NOT NULL,
    goal ${d.bigint} NOT NULL,
    content_id TEXT NOT NULL,
    policy TEXT NOT NULL,
    bucket ${d.bigint} NOT NULL,
    value ${d.bigint} NOT NULL,
    squares ${d.bigint} NOT NULL,
    most ${d.bigint} NOT NULL,
    PRIMARY KEY (workspace_id, width, goal, content_id, policy, bucket)
  )`,
  'CREATE INDEX goal_by_time_age ON goal_by_time (workspace_id, width, bucket)',
  // What guards say of contents, and of the learned choice (empty content_id): taken out at `removed_ms`, and compared by
  // decisions from `since_ms` on. `rule` is the guard, `digest` the content then; the values are those of the comparison.
  `CREATE TABLE guard (
    workspace_id TEXT NOT NULL,
    goal ${d.bigint} NOT NULL,
    content_id TEXT NOT NULL,
    since_ms ${d.bigint} NOT NULL,
    removed_ms ${d.bigint},
    rule TEXT NOT NULL,
    digest TEXT NOT NULL,
    value DOUBLE PRECISION NOT NULL,
    holdout DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (workspace_id, goal, content_id)
  )`,
  `CREATE TABLE catalog_version (
    workspace_id TEXT NOT NULL,
    version ${d.bigint} NOT NULL,
    at_ms ${d.bigint} NOT NULL,
    author TEXT,
    note TEXT,
    revert_of ${d.bigint},
    bytes ${d.bigint} NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (workspace_id, version)
  )`,
];
