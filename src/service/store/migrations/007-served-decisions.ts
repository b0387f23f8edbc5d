import type { Migration } from './migration.ts';

/** What a decision was made by, when its message was served, and where somebody polls. */
export const servedDecisions: Migration = {
  id: 7,
  up: (d) => [
    'ALTER TABLE decision ADD COLUMN category TEXT',
    // Hashed features: [key, value, key, value, …].
    'ALTER TABLE decision ADD COLUMN features TEXT',
    // When silence began to count: when the message was served, or when the decision was made where nobody polls.
    `ALTER TABLE decision ADD COLUMN counted_at ${d.bigint}`,
    // The last outcome that closed the message: clicked, actioned or dismissed.
    'ALTER TABLE decision ADD COLUMN outcome TEXT',
    // Candidates that the log does not name: [count, propensity, ranking, expected].
    'ALTER TABLE decision ADD COLUMN others TEXT',
    // Decisions that count and whose silence is not in the reward log yet.
    'CREATE INDEX decision_counting ON decision (counted_at) WHERE reward IS NULL AND counted_at IS NOT NULL',
    // Of an earlier version alone: decisions that are never served stay without a reward, and must not be looked through.
    'DROP INDEX decision_open',
    `CREATE INDEX decision_unsettled ON decision (at_ms)
      WHERE reward IS NULL AND content_id IS NOT NULL AND features IS NULL`,
    'CREATE INDEX decision_log ON decision (workspace_id, seq)',
    'CREATE INDEX decision_of_content ON decision (workspace_id, content_id, seq)',
    'CREATE INDEX decision_of_user ON decision (workspace_id, hash_id, seq)',
    `ALTER TABLE message ADD COLUMN served_at ${d.bigint}`,
    'ALTER TABLE message ADD COLUMN channel TEXT',
    'ALTER TABLE message ADD COLUMN surface TEXT',
    // How often the frequent events happened to a user: a feature of decisions.
    `CREATE TABLE user_signal (
      workspace_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      event TEXT NOT NULL,
      count ${d.bigint} NOT NULL,
      last_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, user_id, event)
    )`,
    'CREATE INDEX user_signal_age ON user_signal (workspace_id, last_ms)',
    // The channel is empty for a poll that names none: it serves every in-app channel.
    `CREATE TABLE polled_channel (
      workspace_id TEXT NOT NULL,
      channel TEXT NOT NULL,
      at_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, channel)
    )`,
  ],
};
