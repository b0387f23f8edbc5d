import type { Tx } from '../../../platform/store/store.ts';
import type { GuardState } from '../rules/guard.ts';

/** What a guard says of a content, or of the learned choice (''). */
export interface StoredGuard extends GuardState {
  readonly goal: number;
  readonly contentId: string;
}

/** What a guard has taken out. */
export interface TakenOut {
  readonly goalId: string;
  /** Empty for the learned choice. */
  readonly contentId: string;
  /** Since when, Unix ms. */
  readonly at: number;
  /** Mean values per decision of what is taken out, and of the holdout group, then. */
  readonly value: number;
  readonly holdout: number;
}

/** What guards say. */
export const guards = {
  async ofGoal(tx: Tx, workspaceId: string, goal: number): Promise<StoredGuard[]> {
    const rows = await tx.sql.all<StoredGuard>(
      `SELECT goal, content_id AS "contentId", since_ms AS since, removed_ms AS "removedAt", rule, digest, value, holdout
       FROM guard WHERE workspace_id = ? AND goal = ?`,
      [workspaceId, goal],
    );
    return rows.map((row) => ({
      ...row,
      goal: Number(row.goal),
      since: Number(row.since),
      removedAt: row.removedAt === null ? null : Number(row.removedAt),
    }));
  },

  async set(tx: Tx, workspaceId: string, guard: StoredGuard): Promise<void> {
    const { goal, contentId, since, removedAt, rule, digest, value, holdout } = guard;
    await tx.sql.run(
      `INSERT INTO guard (workspace_id, goal, content_id, since_ms, removed_ms, rule, digest, value, holdout)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id, goal, content_id) DO UPDATE SET since_ms = excluded.since_ms,
         removed_ms = excluded.removed_ms, rule = excluded.rule, digest = excluded.digest, value = excluded.value,
         holdout = excluded.holdout`,
      [workspaceId, goal, contentId, since, removedAt, rule, digest, value, holdout],
    );
  },

  /** What is taken out by the guards of a workspace, the longest first. */
  async takenOut(tx: Tx, workspaceId: string): Promise<TakenOut[]> {
    const rows = await tx.sql.all<TakenOut>(
      `SELECT g.goal_id AS "goalId", u.content_id AS "contentId", u.removed_ms AS at, u.value, u.holdout
       FROM guard u JOIN goal g ON g.workspace_id = u.workspace_id AND g.goal = u.goal
       WHERE u.workspace_id = ? AND u.removed_ms IS NOT NULL ORDER BY u.removed_ms, u.content_id`,
      [workspaceId],
    );
    return rows.map((row) => ({ ...row, at: Number(row.at) }));
  },

  /** Removes what the guard of a definition says. */
  async remove(tx: Tx, workspaceId: string, goal: number): Promise<void> {
    await tx.sql.run('DELETE FROM guard WHERE workspace_id = ? AND goal = ?', [workspaceId, goal]);
  },
};
