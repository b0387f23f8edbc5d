import { chunked, marks } from '../../platform/store/rows.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';

/** A user that a run of an import created. */
export interface UserOfRun {
  readonly hashId: string;
  readonly userId: string;
  /** When the run created the user, Unix ms; null if the user was changed since. */
  readonly runAt: number | null;
  /** The user was changed, or did or got something. */
  readonly isUsed: boolean;
}

/** What shows that a user is used, beside events (markTracked): an index finds each. */
const USES = [
  ...['decided_user', 'shown_content', 'message', 'notification', 'contact', 'marketing_sent'],
  ...['outcome', 'goal_event', 'goal_user'],
].map((table) => `SELECT 1 FROM ${table} t WHERE t.workspace_id = u.workspace_id AND t.hash_id = u.hash_id`);
const IS_USED = `CASE WHEN u.run_at IS NULL
  ${USES.map((use) => `OR EXISTS (${use})`).join(' ')} THEN 1 ELSE 0 END`;

/** The users that runs of imports created. */
export const userRuns = {
  /**
   * True once the users of a run are deleted, or are to be: it must send no more. Locks the workspace against a deletion
   * that begins, so that it finds what the transaction stores.
   */
  async isTakenBack(tx: Tx, workspaceId: string, run: string): Promise<boolean> {
    await tx.sql.get(`SELECT 1 AS one FROM workspace WHERE workspace_id = ? ${tx.sql.dialect.forKeyShare}`, [
      workspaceId,
    ]);
    return isDeleted(tx, workspaceId, run);
  },

  /** Whether a run created users who are stored, or its users were deleted lately. */
  async isKnown(tx: Tx, workspaceId: string, run: string): Promise<boolean> {
    const row = await tx.sql.get(
      'SELECT 1 AS one FROM app_user WHERE workspace_id = ? AND created_run = ? LIMIT 1',
      [workspaceId, run],
    );
    return row !== undefined || isDeleted(tx, workspaceId, run);
  },

  /** Waits for the batches of runs that are being stored. */
  async lock(tx: Tx, workspaceId: string): Promise<void> {
    await tx.sql.get(`SELECT 1 AS one FROM workspace WHERE workspace_id = ? ${tx.sql.dialect.forUpdate}`, [
      workspaceId,
    ]);
  },

  /** When a run created the first of its users who were not changed since, Unix ms; undefined if there is none. */
  async since(tx: Tx, workspaceId: string, run: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number | null }>(
      'SELECT min(run_at) AS at FROM app_user WHERE workspace_id = ? AND created_run = ?',
      [workspaceId, run],
    );
    return row?.at == null ? undefined : Number(row.at);
  },

  /** Notes that the users of a run who have an event in a range of numbers are used. */
  async markTracked(
    tx: Tx,
    workspaceId: string,
    run: string,
    { after, upTo }: { readonly after: number; readonly upTo: number },
  ): Promise<void> {
    await tx.sql.run(
      `UPDATE app_user SET run_at = NULL WHERE workspace_id = ? AND created_run = ? AND run_at IS NOT NULL
         AND user_id IN (SELECT user_id FROM event WHERE workspace_id = ? AND number > ? AND number <= ?)`,
      [workspaceId, run, workspaceId, after, upTo],
    );
  },

  /** Up to `limit` users of a run after an identifier, in the order of these; locked if they may be deleted. */
  async page(
    tx: Tx,
    workspaceId: string,
    run: string,
    { after, limit, locked }: { after: string; limit: number; locked: boolean },
  ): Promise<UserOfRun[]> {
    const rows = await tx.sql.all<Omit<UserOfRun, 'isUsed'> & { used: number }>(
      `SELECT u.hash_id AS "hashId", u.user_id AS "userId", u.run_at AS "runAt", ${IS_USED} AS used
       FROM app_user u WHERE u.workspace_id = ? AND u.created_run = ? AND u.user_id > ?
       ORDER BY u.user_id LIMIT ? ${locked ? tx.sql.dialect.forUpdate : ''}`,
      [workspaceId, run, after, limit],
    );
    return rows.map(({ used, runAt, ...row }) => ({
      ...row,
      runAt: runAt === null ? null : Number(runAt),
      isUsed: Number(used) === 1,
    }));
  },

  /** Deletes users that a run created, with all that it said of them. Opt-outs from before stay. */
  async delete(tx: Tx, workspaceId: string, users: readonly UserOfRun[]): Promise<void> {
    for (const part of chunked(users.map(({ hashId }) => hashId))) {
      const of: SqlValue[] = [workspaceId, ...part];
      const list = marks(part.length);
      await tx.sql.run(`DELETE FROM user_key WHERE workspace_id = ? AND hash_id IN (${list})`, of);
      await tx.sql.run(`DELETE FROM device WHERE workspace_id = ? AND hash_id IN (${list})`, of);
      await tx.sql.run(
        `DELETE FROM consent WHERE workspace_id = ? AND hash_id IN (${list}) AND at_ms >= (SELECT u.run_at FROM app_user u
           WHERE u.workspace_id = consent.workspace_id AND u.hash_id = consent.hash_id)`,
        of,
      );
      await tx.sql.run(`DELETE FROM app_user WHERE workspace_id = ? AND hash_id IN (${list})`, of);
    }
  },
};

async function isDeleted(tx: Tx, workspaceId: string, run: string): Promise<boolean> {
  const row = await tx.sql.get(
    'SELECT 1 AS one FROM user_deletion WHERE workspace_id = ? AND run = ? AND dry_run = 0 LIMIT 1',
    [workspaceId, run],
  );
  return row !== undefined;
}
