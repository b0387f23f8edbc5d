import { listed } from '../../../platform/store/listed.ts';
import { deleteSome, insertRows } from '../../../platform/store/rows.ts';
import type { Tx } from '../../../platform/store/store.ts';
import { UNIT } from '../rules/attribution.ts';

/** What a content, or all (''), earned of a goal by one kind of choice, or a change of it. */
export interface GoalCount {
  readonly goal: number;
  readonly contentId: string;
  readonly policy: string;
  /** Decisions that earned. */
  readonly converted: number;
  /** What they earned, in millionths, each up to one whole goal. */
  readonly value: number;
  /** The sum of the squares, in millionths: of what each decision earned, and of all (''), of what each user did. */
  readonly squares: number;
  /** The most that a user earned, in millionths; 0 but for all (''). */
  readonly most: number;
}

/** What a user earned of a goal by one kind of choice, in millionths. */
export interface UserValue {
  readonly goal: number;
  readonly hashId: string;
  readonly policy: string;
  readonly value: number;
}

const DAY_MS = 86_400_000;

/** What contents and users earned of goals. */
export const goalCounts = {
  /** Adds to what contents earned. The rows are in the order of their key, so that two transactions lock them in it. */
  async add(tx: Tx, workspaceId: string, changes: readonly GoalCount[]): Promise<void> {
    await insertRows(
      tx,
      'INSERT INTO goal_count (workspace_id, goal, content_id, policy, converted, value, squares, most, earlier)',
      changes.map(({ goal, contentId, policy, converted, value, squares, most }) => [
        ...[workspaceId, goal, contentId, policy, converted, value, squares, most, 0],
      ]),
      `ON CONFLICT (workspace_id, goal, content_id, policy) DO UPDATE SET
         converted = goal_count.converted + excluded.converted, value = goal_count.value + excluded.value,
         squares = goal_count.squares + excluded.squares,
         most = CASE WHEN excluded.most > goal_count.most THEN excluded.most ELSE goal_count.most END`,
    );
  },

  /**
   * Notes of a new definition that decisions from before `since`, Unix ms, do not belong to it: a day's start, at most 400
   * days ago, as older ones are not counted by day.
   */
  async leaveOut(tx: Tx, workspaceId: string, goal: number, since: number): Promise<void> {
    await tx.sql.run(
      `INSERT INTO goal_count (workspace_id, goal, content_id, policy, converted, value, squares, most, earlier)
       SELECT workspace_id, ?, content_id, policy, 0, 0, 0, 0,
         SUM(CASE WHEN width = 0 THEN served WHEN bucket >= ? THEN -served ELSE 0 END)
       FROM content_count WHERE workspace_id = ? AND width IN (0, ${DAY_MS})
       GROUP BY workspace_id, content_id, policy`,
      [goal, since, workspaceId],
    );
  },

  /** What these contents, or all (''), earned of goals; `earlier`: those of their decisions that do not belong to the goal. */
  async of(
    tx: Tx,
    workspaceId: string,
    contentIds: readonly string[],
  ): Promise<(GoalCount & { readonly earlier: number })[]> {
    const { text, param } = listed(tx.sql.dialect, 'content_id', contentIds);
    const rows = await tx.sql.all<GoalCount & { earlier: number }>(
      `SELECT goal, content_id AS "contentId", policy, converted, value, squares, most, earlier FROM goal_count
       WHERE workspace_id = ? AND ${text}`,
      [workspaceId, param],
    );
    return rows.map((row) => ({
      ...row,
      goal: Number(row.goal),
      converted: Number(row.converted),
      value: Number(row.value),
      squares: Number(row.squares),
      most: Number(row.most),
      earlier: Number(row.earlier),
    }));
  },

  /** What users earned so far; those who earned nothing are left out. */
  async ofUsers(tx: Tx, workspaceId: string, hashIds: readonly string[]): Promise<UserValue[]> {
    const { text, param } = listed(tx.sql.dialect, 'hash_id', hashIds);
    const rows = await tx.sql.all<UserValue>(
      `SELECT goal, hash_id AS "hashId", policy, value FROM goal_user WHERE workspace_id = ? AND ${text}`,
      [workspaceId, param],
    );
    return rows.map((row) => ({ ...row, goal: Number(row.goal), value: Number(row.value) }));
  },

  async setUsers(tx: Tx, workspaceId: string, values: readonly UserValue[]): Promise<void> {
    await insertRows(
      tx,
      'INSERT INTO goal_user (workspace_id, hash_id, goal, policy, value)',
      values.map(({ hashId, goal, policy, value }) => [workspaceId, hashId, goal, policy, value]),
      'ON CONFLICT (workspace_id, hash_id, goal, policy) DO UPDATE SET value = excluded.value',
    );
  },

  /** Brings the most that a user earned down to what users have, where it matters: above one whole goal (gain-interval.ts). */
  async lowerMost(tx: Tx, workspaceId: string): Promise<void> {
    await tx.sql.run(
      `UPDATE goal_count SET most = (SELECT coalesce(max(u.value), 0) FROM goal_user u
         WHERE u.workspace_id = ? AND u.goal = goal_count.goal AND u.policy = goal_count.policy)
       WHERE workspace_id = ? AND content_id = '' AND most > ${UNIT}`,
      [workspaceId, workspaceId],
    );
  },

  /** Removes up to `limit` values of users of a definition; returns how many. */
  removeUsers(tx: Tx, workspaceId: string, goal: number, limit: number): Promise<number> {
    const table = { table: 'goal_user', key: 'hash_id, goal, policy' };
    return deleteSome(tx, workspaceId, table, 'goal = ?', [goal], limit);
  },

  /** Removes what contents earned of a definition. */
  async remove(tx: Tx, workspaceId: string, goal: number): Promise<void> {
    await tx.sql.run('DELETE FROM goal_count WHERE workspace_id = ? AND goal = ?', [workspaceId, goal]);
  },
};
