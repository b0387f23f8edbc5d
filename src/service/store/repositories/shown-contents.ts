import type { Shown } from '../../domain/decide/repeat.ts';
import type { Tx } from '../store.ts';

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

  /** Takes back a choice whose message was withdrawn before it was served. */
  async release(tx: Tx, workspaceId: string, hashId: string, contentId: string): Promise<void> {
    await tx.sql.run(
      `UPDATE shown_content SET times = times - 1
       WHERE workspace_id = ? AND hash_id = ? AND content_id = ? AND times > 0`,
      [workspaceId, hashId, contentId],
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
