import type { Migration } from './migration.ts';

/** Rewards have no such index: their numbers are in the order of their times. */
const OUTCOMES = {
  name: 'outcome_by_age',
  unique: false,
  on: "outcome (workspace_id, at_ms) WHERE kind = 'message'",
} as const;

/** What was removed of the logs of a workspace by age, and the index that finds old outcomes. */
export const retentionTables: Migration = {
  id: 20,
  indexes: () => [OUTCOMES],
  up: (d) => [
    // Rows up to this number may be gone, all of them from before this time.
    `CREATE TABLE removal (
      workspace_id TEXT NOT NULL,
      log TEXT NOT NULL,
      number ${d.bigint} NOT NULL,
      before_ms ${d.bigint} NOT NULL,
      PRIMARY KEY (workspace_id, log)
    )`,
    `CREATE INDEX IF NOT EXISTS ${OUTCOMES.name} ON ${OUTCOMES.on}`,
  ],
};
