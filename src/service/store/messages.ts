import type { Content } from '../domain/decide/content.ts';
import type { Tx } from './store.ts';

/** A message as the app shows it, in the words it had when it was chosen. */
export interface WaitingMessage {
  readonly decisionId: string;
  readonly contentId: string;
  readonly channel: string | null;
  readonly surface: string | null;
  readonly format: string;
  readonly title: string;
  readonly body: string;
  /** When it was first served, Unix ms; null before. */
  readonly servedAt: number | null;
}

/** Most messages that one poll hands over. */
const MOST = 50;

export const messages = {
  /** Makes a content wait for the user until `withdrawAt`, unix ms. */
  async add(
    tx: Tx,
    workspaceId: string,
    to: {
      hashId: string;
      decisionId: string;
      withdrawAt: number;
      channel: string | null;
      surface: string | null;
    },
    content: Content,
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO message (workspace_id, decision_id, hash_id, content_id, format, title, body, at_ms, withdraw_at,
         channel, surface) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        workspaceId,
        to.decisionId,
        to.hashId,
        content.contentId,
        content.format,
        content.title,
        content.body,
        tx.now,
        to.withdrawAt,
        to.channel,
        to.surface,
      ],
    );
  },

  /**
   * The messages that wait for a user, the newest first, held for the rest of the transaction. A channel or a surface
   * leaves out the messages for another one.
   */
  async waiting(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    { channel, surface }: { channel?: string | undefined; surface?: string | undefined } = {},
  ): Promise<WaitingMessage[]> {
    return tx.sql.all<WaitingMessage>(
      `SELECT decision_id AS "decisionId", content_id AS "contentId", channel, surface, format, title, body,
         served_at AS "servedAt" FROM message
       WHERE workspace_id = ? AND hash_id = ? AND withdraw_at > ?
         AND (surface IS NULL OR ? = '' OR surface = ?) AND (channel IS NULL OR ? = '' OR channel = ?)
       ORDER BY at_ms DESC, decision_id LIMIT ${MOST} ${tx.sql.dialect.forUpdate}`,
      [workspaceId, hashId, tx.now, surface ?? '', surface ?? '', channel ?? '', channel ?? ''],
    );
  },

  /** Takes note that a message was served, now. */
  async served(tx: Tx, workspaceId: string, decisionId: string): Promise<void> {
    await tx.sql.run('UPDATE message SET served_at = ? WHERE workspace_id = ? AND decision_id = ?', [
      tx.now,
      workspaceId,
      decisionId,
    ]);
  },

  /** Takes a message away: the user dealt with it. */
  async remove(tx: Tx, workspaceId: string, decisionId: string): Promise<void> {
    await tx.sql.run('DELETE FROM message WHERE workspace_id = ? AND decision_id = ?', [
      workspaceId,
      decisionId,
    ]);
  },

  /** Removes up to `most` messages whose day is over; returns how many. */
  async purge(tx: Tx, most: number): Promise<number> {
    return tx.sql.run(
      `DELETE FROM message WHERE (workspace_id, decision_id) IN
         (SELECT workspace_id, decision_id FROM message WHERE withdraw_at <= ? LIMIT ?)`,
      [tx.now, most],
    );
  },
};
