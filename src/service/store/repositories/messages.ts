import type { Content } from '../../domain/decide/content.ts';
import { type Page, readPage } from '../pages.ts';
import type { Tx } from '../store.ts';

/** A message as the app shows it, with its text at the time of the decision. */
export interface WaitingMessage {
  readonly decisionId: string;
  readonly contentId: string;
  readonly format: string;
  readonly title: string;
  readonly body: string;
}

/** Maximum number of messages per poll. */
const MOST = 50;

export const messages = {
  /** Queues a message for a user until `withdrawAt`, unix ms. */
  async add(
    tx: Tx,
    workspaceId: string,
    to: { hashId: string; decisionId: string; withdrawAt: number },
    content: Content,
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO message (workspace_id, decision_id, hash_id, content_id, format, title, body, at_ms, withdraw_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      ],
    );
  },

  /** A page of the pending messages of a user, newest first, after the position `after`. */
  async waiting(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    after: { readonly at: number; readonly id: string } = { at: Number.MAX_SAFE_INTEGER, id: '' },
  ): Promise<Page<WaitingMessage & { readonly at: number }>> {
    return readPage(tx, {
      columns: `decision_id AS "decisionId", content_id AS "contentId", format, title, body, at_ms AS at`,
      long: ['title', 'body'],
      from: `message WHERE workspace_id = ? AND hash_id = ? AND withdraw_at > ?
        AND (at_ms < ? OR (at_ms = ? AND decision_id > ?))`,
      params: [workspaceId, hashId, tx.now, after.at, after.at, after.id],
      order: 'at_ms DESC, decision_id',
      most: MOST,
    });
  },

  /** Deletes a message that the user has handled. */
  async remove(tx: Tx, workspaceId: string, decisionId: string): Promise<void> {
    await tx.sql.run('DELETE FROM message WHERE workspace_id = ? AND decision_id = ?', [
      workspaceId,
      decisionId,
    ]);
  },

  /** Deletes up to `most` withdrawn messages. Returns how many. */
  async purge(tx: Tx, most: number): Promise<number> {
    return tx.sql.run(
      `DELETE FROM message WHERE (workspace_id, decision_id) IN
         (SELECT workspace_id, decision_id FROM message WHERE withdraw_at <= ? LIMIT ? ${tx.sql.dialect.skipLocked})`,
      [tx.now, most],
    );
  },
};
