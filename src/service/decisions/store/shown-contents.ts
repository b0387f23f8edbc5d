import type { Shown } from '../../catalog/repeat.ts';
import type { Tx } from '../../platform/store/store.ts';

/** What each user has had of the contents with rules on repeats. */
export const shownContents = {
  /** By content. A user has at most one row for each content with such rules. */
  async ofUser(tx: Tx, workspaceId: string, hashId: string): Promise<Map<string, Shown>> {
    const rows = await tx.sql.all<Shown & { contentId: string }>(
      `SELECT content_id AS "contentId", times, last_ms AS "lastAt", closed_ms AS "closedAt" FROM shown_content
       WHERE workspace_id = ? AND hash_id = ?`,
      [workspaceId, hashId],
    );
    return new Map(
      rows.map(({ contentId, times, lastAt, closedAt }) => [
        contentId,
        {
          times: Number(times),
          lastAt: Number(lastAt),
          closedAt: closedAt === null ? null : Number(closedAt),
        },
      ]),
    );
  },

  /** Counts that a content was chosen for a user. */
  async add(tx: Tx, workspaceId: string, hashId: string, contentId: string): Promise<void> {
    await tx.sql.run(
      `INSERT INTO shown_content (workspace_id, hash_id, content_id, times, last_ms) VALUES (?, ?, ?, 1, ?)
       ON CONFLICT (workspace_id, hash_id, content_id) DO UPDATE SET times = shown_content.times + 1,
         last_ms = excluded.last_ms`,
      [workspaceId, hashId, contentId, tx.now],
    );
  },

  /** Takes back a choice whose message another one replaced before it was served: only the count is less. */
  async release(tx: Tx, workspaceId: string, hashId: string, contentId: string): Promise<void> {
    await tx.sql.run(
      `UPDATE shown_content SET times = times - 1
       WHERE workspace_id = ? AND hash_id = ? AND content_id = ? AND times > 0`,
      [workspaceId, hashId, contentId],
    );
  },

  /**
   * Takes back a choice whose message was withdrawn or expired, unless the decision counts (its message was served, or
   * nobody polls). The last choice is then the last one that counts or that still waits.
   */
  async takeBack(
    tx: Tx,
    workspaceId: string,
    { hashId, contentId, decisionId }: { hashId: string; contentId: string; decisionId: string },
  ): Promise<void> {
    await tx.sql.run(
      `UPDATE shown_content SET times = times - 1, last_ms = COALESCE(
         (SELECT MAX(d.at_ms) FROM decision d WHERE d.workspace_id = ? AND d.hash_id = ? AND d.content_id = ?
          AND (d.counted_at IS NOT NULL OR EXISTS (SELECT 1 FROM message m
            WHERE m.workspace_id = d.workspace_id AND m.decision_id = d.decision_id))), last_ms)
       WHERE workspace_id = ? AND hash_id = ? AND content_id = ? AND times > 0 AND EXISTS (SELECT 1 FROM decision
         WHERE workspace_id = ? AND decision_id = ? AND counted_at IS NULL)`,
      [workspaceId, hashId, contentId, workspaceId, hashId, contentId, workspaceId, decisionId],
    );
  },

  /** Notes that a user dismissed or actioned a content. */
  async close(tx: Tx, workspaceId: string, hashId: string, contentId: string): Promise<void> {
    await tx.sql.run(
      'UPDATE shown_content SET closed_ms = ? WHERE workspace_id = ? AND hash_id = ? AND content_id = ?',
      [tx.now, workspaceId, hashId, contentId],
    );
  },
};
