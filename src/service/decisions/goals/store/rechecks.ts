import { due } from '../../../platform/store/due.ts';
import { pipeline } from '../../../platform/store/pipeline.ts';
import type { Tx } from '../../../platform/store/store.ts';

/** Users whose events are to be looked at again. */
export const rechecks = {
  /** Says that events of a user from now on may count for a decision for which they did not. */
  async mark(tx: Tx, workspaceId: string, hashId: string): Promise<void> {
    await pipeline([
      tx.sql.run(
        `INSERT INTO goal_recheck (workspace_id, hash_id, from_ms, number) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING`,
        [workspaceId, hashId, tx.now],
      ),
      due.mark(tx, workspaceId, 'goals'),
    ]);
  },

  /**
   * Takes up to `limit` users whose events are to be looked at again: those at `from` with a number above `number`, and
   * later ones. Taken before the look, so that a decision that begins to count meanwhile is not overlooked.
   */
  async take(
    tx: Tx,
    workspaceId: string,
    limit: number,
  ): Promise<{ hashId: string; from: number; number: number }[]> {
    const rows = await tx.sql.all<{ hashId: string; from: number; number: number }>(
      `WITH taken AS MATERIALIZED
         (SELECT workspace_id, hash_id, from_ms FROM goal_recheck WHERE workspace_id = ? LIMIT ?
          ${tx.sql.dialect.skipLocked})
       DELETE FROM goal_recheck WHERE (workspace_id, hash_id, from_ms) IN (SELECT * FROM taken)
       RETURNING hash_id AS "hashId", from_ms AS "from", number`,
      [workspaceId, limit],
    );
    return rows.map((row) => ({ ...row, from: Number(row.from), number: Number(row.number) }));
  },

  /** Says where a long recheck goes on. */
  async add(tx: Tx, workspaceId: string, hashId: string, from: number, number: number): Promise<void> {
    await tx.sql.run(
      `INSERT INTO goal_recheck (workspace_id, hash_id, from_ms, number) VALUES (?, ?, ?, ?)
       ON CONFLICT (workspace_id, hash_id, from_ms) DO UPDATE SET
         number = CASE WHEN excluded.number < goal_recheck.number THEN excluded.number ELSE goal_recheck.number END`,
      [workspaceId, hashId, from, number],
    );
  },
};
