import type { Content, ContentText } from '../../catalog/content.ts';
import { type Page, readPage } from '../../platform/store/pages.ts';
import type { Tx } from '../../platform/store/store.ts';
import { fanOuts } from '../../webhooks/store/fan-outs.ts';
import { shownContents } from './shown-contents.ts';

/** A message as the app shows it, with its text at the time of the decision. */
interface WaitingMessage {
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

/** A message that waits, and by which contact of its user. */
export interface CountedMessage extends WaitingMessage {
  /** Of its decision, Unix ms. */
  readonly at: number;
  /** When the contact was taken for which it may be served, Unix ms. */
  readonly contactAt: number;
  /** The cap of its decision on contacts of a day; null for none. */
  readonly maxContacts: number | null;
}

/** Where and to whom a message is shown. */
interface Place {
  readonly hashId: string;
  readonly channel: string | null;
  readonly surface: string | null;
}

/** Maximum number of messages per poll. */
const MAX_MESSAGES = 50;

export const messages = {
  /** Queues a message for a user until `withdrawAt`, unix ms. */
  async add(
    tx: Tx,
    workspaceId: string,
    to: Place & { readonly decisionId: string; readonly withdrawAt: number } & Pick<
        CountedMessage,
        'contactAt' | 'maxContacts'
      >,
    content: Pick<Content, 'contentId' | 'format'>,
    text: ContentText,
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO message (workspace_id, decision_id, hash_id, content_id, format, title, body, at_ms, withdraw_at,
         contact_at, max_contacts, channel, surface) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        workspaceId,
        to.decisionId,
        to.hashId,
        content.contentId,
        content.format,
        text.title,
        text.body,
        tx.now,
        to.withdrawAt,
        to.contactAt,
        to.maxContacts,
        to.channel,
        to.surface,
      ],
    );
  },

  /**
   * Reads a page of the messages that wait for a user, the newest first, those behind `after`. A channel or a
   * surface leaves out the messages for another one.
   */
  async waiting(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    { channel = '', surface = '' }: { channel?: string | undefined; surface?: string | undefined } = {},
    after: { readonly at: number; readonly id: string } = { at: Number.MAX_SAFE_INTEGER, id: '' },
  ): Promise<Page<CountedMessage>> {
    return readPage(tx, {
      columns: `decision_id AS "decisionId", content_id AS "contentId", channel, surface, format, title, body,
        served_at AS "servedAt", at_ms AS at, contact_at AS "contactAt", max_contacts AS "maxContacts"`,
      long: ['title', 'body'],
      from: `message WHERE workspace_id = ? AND hash_id = ? AND +withdraw_at > ?
        AND (surface IS NULL OR ? = '' OR surface = ?) AND (channel IS NULL OR ? = '' OR channel = ?)
        AND at_ms <= ? AND (at_ms < ? OR decision_id > ?)`,
      params: [
        ...[workspaceId, hashId, tx.now, surface, surface, channel, channel],
        ...[after.at, after.at, after.id],
      ],
      order: 'at_ms DESC, decision_id',
      limit: MAX_MESSAGES,
    });
  },

  /** Notes that a message was served, the first time counts. Returns false where it is gone. */
  async served(tx: Tx, workspaceId: string, decisionId: string): Promise<boolean> {
    const changed = await tx.sql.run(
      'UPDATE message SET served_at = COALESCE(served_at, ?) WHERE workspace_id = ? AND decision_id = ?',
      [tx.now, workspaceId, decisionId],
    );
    return changed > 0;
  },

  /** Takes a message for a contact of now, unless one since `dayStart`, Unix ms, was taken. Returns whether it was. */
  async takeContact(tx: Tx, workspaceId: string, decisionId: string, dayStart: number): Promise<boolean> {
    const changed = await tx.sql.run(
      'UPDATE message SET contact_at = ? WHERE workspace_id = ? AND decision_id = ? AND contact_at < ?',
      [tx.now, workspaceId, decisionId, dayStart],
    );
    return changed > 0;
  },

  /** Ends the messages of decisions from before `dayStart`, Unix ms, that wait for a user at a place. */
  async endEarlier(
    tx: Tx,
    workspaceId: string,
    { hashId, channel, surface }: Place,
    dayStart: number,
  ): Promise<void> {
    await tx.sql.run(
      // As in `find`.
      `UPDATE message SET withdraw_at = ? WHERE workspace_id = ? AND hash_id = ? AND at_ms < ? AND +withdraw_at > ?
         AND COALESCE(channel, '') = ? AND COALESCE(surface, '') = ?`,
      [tx.now, workspaceId, hashId, dayStart, tx.now, channel ?? '', surface ?? ''],
    );
  },

  /** The message of a content that waits for a user at the same place; undefined if there is none. */
  async find(
    tx: Tx,
    workspaceId: string,
    { hashId, channel, surface }: Place,
    contentId: string,
  ): Promise<Pick<CountedMessage, 'decisionId' | 'contactAt'> | undefined> {
    return tx.sql.get(
      // `+` keeps both engines from the index by withdrawal, which has the messages of all users.
      `SELECT decision_id AS "decisionId", contact_at AS "contactAt" FROM message WHERE workspace_id = ? AND hash_id = ? AND +withdraw_at > ?
         AND content_id = ? AND COALESCE(channel, '') = ? AND COALESCE(surface, '') = ? ORDER BY at_ms DESC LIMIT 1`,
      [workspaceId, hashId, tx.now, contentId, channel ?? '', surface ?? ''],
    );
  },

  /** Deletes a message that the user has handled. Returns false where it is gone. */
  async remove(tx: Tx, workspaceId: string, decisionId: string): Promise<boolean> {
    const removed = await tx.sql.run('DELETE FROM message WHERE workspace_id = ? AND decision_id = ?', [
      workspaceId,
      decisionId,
    ]);
    return removed > 0;
  },

  /** Deletes up to `limit` expired messages, which webhooks may tell; contents that were never served do not count as shown. Returns how many. */
  async purge(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    return takeBack(
      tx,
      workspaceId,
      await tx.sql.all<Expired>(
        `WITH taken AS MATERIALIZED
           (SELECT workspace_id, decision_id FROM message WHERE workspace_id = ? AND withdraw_at <= ? LIMIT ?
            ${tx.sql.dialect.skipLocked})
         DELETE FROM message WHERE (workspace_id, decision_id) IN (SELECT * FROM taken) ${EXPIRED}`,
        [workspaceId, tx.now, limit],
      ),
    );
  },

  /** Deletes the expired messages of a user, like `purge`, before it is counted what was shown. */
  async purgeOf(tx: Tx, workspaceId: string, hashId: string): Promise<void> {
    await takeBack(
      tx,
      workspaceId,
      await tx.sql.all<Expired>(
        // As in `find`.
        `DELETE FROM message WHERE workspace_id = ? AND hash_id = ? AND +withdraw_at <= ? ${EXPIRED}`,
        [workspaceId, hashId, tx.now],
      ),
    );
  },
};

interface Expired {
  readonly decisionId: string;
  readonly hashId: string;
  readonly contentId: string;
  readonly servedAt: number | null;
  readonly channel: string | null;
  readonly surface: string | null;
}

const EXPIRED = `RETURNING decision_id AS "decisionId", hash_id AS "hashId", content_id AS "contentId",
  served_at AS "servedAt", channel, surface`;

async function takeBack(tx: Tx, workspaceId: string, expired: readonly Expired[]): Promise<number> {
  for (const message of expired) {
    const { decisionId, contentId, hashId, servedAt, channel, surface } = message;
    if (servedAt === null) await shownContents.takeBack(tx, workspaceId, message);
    const about = { ...(channel !== null && { channel }), ...(surface !== null && { surface }) };
    const occurred = { kind: 'message.expired', decisionId, contentId, hashId, about, occurredAt: tx.now };
    await fanOuts.start(tx, workspaceId, occurred);
  }
  return expired.length;
}
