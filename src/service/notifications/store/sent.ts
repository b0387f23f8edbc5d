import type { CapScope } from '../../catalog/templates/marketing-rules.ts';
import { olderThan } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { SentCount } from '../rules/sending-rules.ts';

/** Messages older than this count for no cap, in any time zone. */
const COUNTED_MS = 9 * 86_400_000;

/** A marketing message to a user. */
export interface SentMessage {
  readonly workspaceId: string;
  readonly hashId: string;
  readonly notificationId: string;
  readonly templateId: string;
  readonly category: string | undefined;
}

/** The marketing that users were sent lately. */
export const marketingSent = {
  /**
   * Locks what a user was sent until the end of the transaction, so that two messages cannot both be the last of a cap.
   * False if another transaction has locked it.
   */
  tryLock(tx: Tx, { workspaceId, hashId }: SentMessage): Promise<boolean> {
    return tx.tryLock(`marketing ${workspaceId} ${hashId}`);
  },

  /** Counts the other messages of the user since the starts of two periods, Unix ms. */
  async count(
    tx: Tx,
    { workspaceId, hashId, notificationId, templateId, category = '' }: SentMessage,
    since: { readonly day: number; readonly week: number },
  ): Promise<Record<CapScope, SentCount>> {
    const rows = await tx.sql.all<{ today: number; template: number; category: number; n: number }>(
      // `+` keeps both engines from the index by age, which has the messages to all users.
      `SELECT CASE WHEN at_ms >= ? THEN 1 ELSE 0 END AS today,
         CASE WHEN template_id = ? THEN 1 ELSE 0 END AS template,
         CASE WHEN category = ? AND category <> '' THEN 1 ELSE 0 END AS category, count(*) AS n
       FROM marketing_sent WHERE workspace_id = ? AND hash_id = ? AND +at_ms >= ? AND notification_id <> ?
       GROUP BY 1, 2, 3`,
      [since.day, templateId, category, workspaceId, hashId, since.week, notificationId],
    );
    const counted = (which: (row: (typeof rows)[number]) => boolean): SentCount => {
      const sum = (of: typeof rows) => of.reduce((total, { n }) => total + n, 0);
      const matching = rows.filter(which);
      return { day: sum(matching.filter(({ today }) => today === 1)), week: sum(matching) };
    };
    return {
      all: counted(() => true),
      category: counted((row) => row.category === 1),
      template: counted((row) => row.template === 1),
    };
  },

  /** Counts a message from now on. One that is sent again counts from the later time. */
  async add(
    tx: Tx,
    { workspaceId, hashId, notificationId, templateId, category = '' }: SentMessage,
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO marketing_sent (workspace_id, hash_id, notification_id, template_id, category, at_ms)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id, hash_id, notification_id) DO UPDATE SET at_ms = excluded.at_ms,
         category = excluded.category`,
      [workspaceId, hashId, notificationId, templateId, category, tx.now],
    );
  },

  /** Takes back a message that was certainly not sent. */
  async remove(tx: Tx, workspaceId: string, hashId: string, notificationId: string): Promise<void> {
    await tx.sql.run(
      'DELETE FROM marketing_sent WHERE workspace_id = ? AND hash_id = ? AND notification_id = ?',
      [workspaceId, hashId, notificationId],
    );
  },

  /** Deletes up to `limit` messages that no longer count. Returns how many. */
  purge: olderThan('marketing_sent', 'hash_id, notification_id', 'at_ms', COUNTED_MS),
};
