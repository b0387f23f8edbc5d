import { randomBytes } from 'node:crypto';
import { bytesOf } from '../pages.ts';
import { pipeline } from '../pipeline.ts';
import type { Cutoffs, NumberedLog } from '../retained-logs.ts';
import type { Tx } from '../store.ts';
import { LOG_TABLES } from './log-tables.ts';

/** Deletes up to `limit` expired rows of a workspace and returns how many. `cutoffs`: those of the retained logs. */
export type RemovalByAge = (tx: Tx, workspaceId: string, limit: number, cutoffs: Cutoffs) => Promise<number>;

/** What was removed of a log of a workspace. */
export interface Removal {
  /** The highest number of a removed row. */
  readonly number: number;
  /** The removed rows are from before this time, Unix ms. */
  readonly before: number;
}

/**
 * SQL: the number up to which the reward log of a workspace is both learned and counted, so that its entries and their
 * decisions are no longer needed. `workspace` is SQL too; a placeholder has its value twice.
 */
export const finishedUpTo = (workspace: string) => `(SELECT min(seq) FROM (
  SELECT COALESCE((SELECT learned_seq FROM model_head WHERE workspace_id = ${workspace}), 0) AS seq
  UNION ALL SELECT COALESCE((SELECT seq FROM content_count_head WHERE workspace_id = ${workspace}), 0)) AS readers)`;

/** Maximum size in bytes of the rows that one transaction removes; a larger row is removed alone. */
const REMOVED_BYTES = 4 * 1024 * 1024;

interface OldRow {
  readonly number: number;
  readonly at: number;
  readonly bytes: number;
}

/** The removal of old rows of the logs, and of the rows that depend on them (serve --retain). */
export const removals = {
  async of(tx: Tx, workspaceId: string, log: NumberedLog): Promise<Removal | undefined> {
    return tx.sql.get<Removal>(
      'SELECT number, before_ms AS before FROM removal WHERE workspace_id = ? AND log = ?',
      [workspaceId, log],
    );
  },

  /** Records that rows of a workspace are gone, in the transaction that removes them. */
  async record(tx: Tx, workspaceId: string, log: NumberedLog, { number, before }: Removal): Promise<void> {
    await tx.sql.run(
      `INSERT INTO removal (workspace_id, log, number, before_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (workspace_id, log) DO UPDATE SET
         number = CASE WHEN excluded.number > removal.number THEN excluded.number ELSE removal.number END,
         before_ms = CASE WHEN excluded.before_ms > removal.before_ms THEN excluded.before_ms
           ELSE removal.before_ms END`,
      [workspaceId, log, number, before],
    );
  },

  /**
   * Removes up to `limit` rows of a workspace from a table of a log, the lowest numbers first, up to the first row that
   * is from `before` (Unix ms) or later. A row whose time is in the future was stored while the clock was ahead: it is
   * removed when a later number is old enough. A decision stays until what it earned is learned and counted. Returns the
   * number of rows.
   */
  async rows(
    tx: Tx,
    workspaceId: string,
    log: NumberedLog,
    table: string,
    before: number,
    limit: number,
  ): Promise<number> {
    const { number, time, long } = LOG_TABLES[log];
    const rows = await tx.sql.all<OldRow>(
      `SELECT ${number} AS number, ${time} AS at, ${bytesOf(long)} AS bytes FROM ${table}
       WHERE workspace_id = ? AND ${time} <= ? ORDER BY ${number} LIMIT ?`,
      [workspaceId, tx.now, limit],
    );
    const end = log === 'decisions' ? await firstUnfinished(tx, workspaceId) : Number.POSITIVE_INFINITY;
    const last = lastOld(rows, before, end);
    if (last === undefined) return 0;
    await removals.record(tx, workspaceId, log, { number: last, before });
    return tx.sql.run(
      `DELETE FROM ${table} WHERE workspace_id = ? AND ${number} IN
         (SELECT ${number} FROM ${table} WHERE workspace_id = ? AND ${number} <= ? ORDER BY ${number} LIMIT ?)`,
      [workspaceId, workspaceId, last, limit],
    );
  },

  /** Removes up to `limit` outcomes and as many rewards that are as old as removed decisions. Returns the larger number. */
  async ofDecisions(tx: Tx, workspaceId: string, limit: number, { decisions }: Cutoffs): Promise<number> {
    if (decisions === null) return 0;
    const outcomes = await tx.sql.run(
      `DELETE FROM outcome WHERE (workspace_id, kind, id, type) IN
         (SELECT workspace_id, kind, id, type FROM outcome WHERE workspace_id = ? AND kind = 'message' AND at_ms < ?
          LIMIT ?)`,
      [workspaceId, decisions, limit],
    );
    const rewards = await tx.sql.run(
      `DELETE FROM reward WHERE workspace_id = ? AND seq IN
         (SELECT seq FROM (SELECT seq, at_ms FROM reward WHERE workspace_id = ? ORDER BY seq LIMIT ?) AS oldest
          WHERE at_ms < ? AND seq <= ${finishedUpTo('?')})`,
      [workspaceId, workspaceId, limit, decisions, workspaceId, workspaceId],
    );
    return Math.max(outcomes, rewards);
  },

  /**
   * Removes up to `limit` users without a decision in the log, of as many from a random one on: each has a row while the log
   * has a decision of the user. Returns the number of rows.
   */
  async decidedUsers(tx: Tx, workspaceId: string, limit: number, { decisions }: Cutoffs): Promise<number> {
    if (decisions === null) return 0;
    return (
      (await removeUndecided(tx, workspaceId, randomBytes(4).toString('hex'), limit)) ||
      (await removeUndecided(tx, workspaceId, '', limit))
    );
  },

  /**
   * Removes up to `limit` old notifications that have ended, with what providers accepted of them and their outcomes.
   * Returns how many.
   */
  async notifications(
    tx: Tx,
    workspaceId: string,
    limit: number,
    { notifications }: Cutoffs,
  ): Promise<number> {
    if (notifications === null) return 0;
    const old = await tx.sql.all<{ id: string }>(
      `SELECT notification_id AS id FROM notification
       WHERE workspace_id = ? AND created_at < ? AND due_at IS NULL ORDER BY created_at LIMIT ?
       ${tx.sql.dialect.skipLocked}`,
      [workspaceId, notifications, limit],
    );
    for (const { id } of old)
      await pipeline([
        tx.sql.run('DELETE FROM notification_send WHERE workspace_id = ? AND notification_id = ?', [
          workspaceId,
          id,
        ]),
        tx.sql.run(`DELETE FROM outcome WHERE workspace_id = ? AND kind = 'notification' AND id = ?`, [
          workspaceId,
          id,
        ]),
        tx.sql.run('DELETE FROM notification WHERE workspace_id = ? AND notification_id = ?', [
          workspaceId,
          id,
        ]),
      ]);
    return old.length;
  },
};

/** Removes users without a decision among up to `limit` from one on. */
async function removeUndecided(tx: Tx, workspaceId: string, from: string, limit: number): Promise<number> {
  return tx.sql.run(
    `WITH taken AS MATERIALIZED
         (SELECT workspace_id, hash_id FROM decided_user WHERE workspace_id = ? AND hash_id >= ?
          ORDER BY hash_id LIMIT ? ${tx.sql.dialect.skipLocked})
       DELETE FROM decided_user WHERE (workspace_id, hash_id) IN (SELECT * FROM taken) AND NOT EXISTS
         (SELECT 1 FROM decision d WHERE d.workspace_id = ? AND d.hash_id = decided_user.hash_id)`,
    [workspaceId, from, limit, workspaceId],
  );
}

/** The number of the last row to remove; undefined if there is none. */
function lastOld(rows: readonly OldRow[], before: number, end: number): number | undefined {
  let last: number | undefined;
  let bytes = 0;
  for (const row of rows) {
    bytes += row.bytes;
    const full = last !== undefined && bytes > REMOVED_BYTES;
    if (full || row.at >= before || row.number >= end) break;
    last = row.number;
  }
  return last;
}

/** The number of the oldest decision with a reward that is not learned or not counted; infinity if there is none. */
async function firstUnfinished(tx: Tx, workspaceId: string): Promise<number> {
  const row = await tx.sql.get<{ number: number | null }>(
    `SELECT min(d.seq) AS number FROM reward r
       JOIN decision d ON d.workspace_id = r.workspace_id AND d.decision_id = r.decision_id
     WHERE r.workspace_id = ? AND d.workspace_id = ? AND r.seq > ${finishedUpTo('?')}`,
    [workspaceId, workspaceId, workspaceId, workspaceId],
  );
  return row?.number ?? Number.POSITIVE_INFINITY;
}
