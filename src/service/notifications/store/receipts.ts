import { olderThan } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import { addresses } from '../../users/store/addresses.ts';
import { type AddressReceipt, changeAddress } from './address-changes.ts';
import type { LockedNotification } from './notification-rows.ts';
import { notifications } from './notifications.ts';
import type { ToldNotification } from './tell.ts';

/** What became of a message to one address. */
export type SendStatus = 'accepted' | 'ambiguous' | 'delivered' | 'failed';

/** What a provider says about a message. */
export interface MessageReceipt {
  readonly provider: string;
  /** The channels of the provider. */
  readonly channels: readonly string[];
  readonly notificationId: string | undefined;
  readonly messageId: string | undefined;
  /** Why it failed; null if it was delivered. */
  readonly failure: string | null;
  /** What it says of the address. */
  readonly address?: AddressReceipt | undefined;
}

/** A notification that a receipt is about. */
export interface AboutNotification {
  readonly found: LockedNotification;
  /** The addresses to which it is known to be sent. */
  readonly sent: readonly string[];
  /** Hash of the address to which the message of the receipt was sent; undefined if it names none. */
  readonly hash: string | undefined;
}

/** How long a receipt waits for its message, in ms. */
const EARLY_TTL_MS = 86_400_000;
/** How long a receipt that changed an address is known, so that a replayed one changes nothing, in ms. */
const SEEN_TTL_MS = 365 * 86_400_000;

interface Send {
  readonly notificationId: string;
  readonly hash: string;
  readonly status: SendStatus;
}

export const receipts = {
  /** The addresses to which a notification was sent, with what became of it. */
  async sends(tx: Tx, workspaceId: string, notificationId: string): Promise<Send[]> {
    return tx.sql.all<Send>(
      `SELECT notification_id AS "notificationId", address_hash AS hash, status FROM notification_send
       WHERE workspace_id = ? AND notification_id = ? ORDER BY address_hash`,
      [workspaceId, notificationId],
    );
  },

  /** Stores what a provider said when it was given a message. */
  async recordSend(
    tx: Tx,
    workspaceId: string,
    send: Omit<Send, 'status'> & {
      status: 'accepted' | 'ambiguous';
      provider: string;
      messageId: string | undefined;
    },
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO notification_send (workspace_id, notification_id, address_hash, provider, status, message_id, at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id, notification_id, address_hash) DO UPDATE SET
         status = excluded.status, message_id = excluded.message_id, at_ms = excluded.at_ms
       WHERE notification_send.status IN ('accepted', 'ambiguous')`,
      [
        workspaceId,
        send.notificationId,
        send.hash,
        send.provider,
        send.status,
        send.messageId ?? null,
        tx.now,
      ],
    );
  },

  /**
   * Applies the receipt that arrived before its message was stored. The send is stored before. A row of `early_receipt`,
   * of which only one of two transactions can add the first, orders this and a receipt that is stored meanwhile: the later
   * one sees what the earlier one has committed.
   */
  async applyEarly(
    tx: Tx,
    workspaceId: string,
    message: Pick<MessageReceipt, 'provider' | 'channels'> & { messageId: string },
  ): Promise<void> {
    const none = await keepEarly(tx, workspaceId, { ...message, failure: null });
    const early = await takeEarly(tx, workspaceId, message);
    if (none || !early) return;
    const { failure, address } = early;
    const about = await receipts.apply(tx, workspaceId, { ...message, notificationId: undefined, failure });
    if (typeof about !== 'object' || about.hash === undefined || !address) return;
    await receipts.applyToAddress(
      tx,
      workspaceId,
      message.provider,
      about.found.channel,
      about.hash,
      address,
      about.found,
    );
  },

  /**
   * Applies a receipt to its notification, which it names or whose message it names. Returns undefined if there is none. A
   * receipt for a message that is not known is kept for a day.
   */
  async apply(
    tx: Tx,
    workspaceId: string,
    receipt: MessageReceipt,
  ): Promise<AboutNotification | 'kept' | undefined> {
    const { notificationId, messageId } = receipt;
    const locked = (id: string) => notifications.locked(tx, workspaceId, id);
    // Locked before its sends are read: a worker may be storing them.
    const named = notificationId === undefined ? undefined : await locked(notificationId);
    let send = messageId === undefined ? undefined : await byMessage(tx, workspaceId, receipt);
    if (!send && messageId !== undefined && notificationId === undefined) {
      const message = { ...receipt, messageId };
      await keepEarly(tx, workspaceId, message);
      // The send may have been committed since it was looked for.
      send = await byMessage(tx, workspaceId, receipt);
      if (!send) return 'kept';
      await takeEarly(tx, workspaceId, message);
    }
    const found = notificationId === undefined && send ? await locked(send.notificationId) : named;
    if (!found || !receipt.channels.includes(found.channel)) return undefined;
    const status = receipt.failure === null ? 'delivered' : 'failed';
    await setStatus(tx, workspaceId, found.notificationId, send?.hash, status);
    // With several devices, one that failed leaves open what becomes of the others.
    const sends = await receipts.sends(tx, workspaceId, found.notificationId);
    const open = sends.some((each) => each.status === 'accepted' || each.status === 'delivered');
    if (status === 'delivered' || !open) await notifications.applyReceipt(tx, found, receipt);
    return { found, sent: sends.map(({ hash }) => hash), hash: send?.hash };
  },

  /** Applies what a receipt says of an address, or of a message to it. A repeated receipt changes nothing. */
  async applyToAddress(
    tx: Tx,
    workspaceId: string,
    provider: string,
    channel: string,
    hash: string,
    said: AddressReceipt,
    about: ToldNotification | undefined,
  ): Promise<void> {
    if (said.id !== undefined && !(await receipts.first(tx, workspaceId, provider, said.id))) return;
    await changeAddress(tx, workspaceId, channel, hash, said, about);
  },

  /** Whether the workspace has sent to an address, or knows it as one to which it no longer sends. */
  async hasSentTo(tx: Tx, workspaceId: string, channel: string, hash: string): Promise<boolean> {
    const sent = await tx.sql.get(
      'SELECT 1 FROM notification_send WHERE workspace_id = ? AND address_hash = ? LIMIT 1',
      [workspaceId, hash],
    );
    return sent !== undefined || (await addresses.suppressionsOf(tx, workspaceId, channel, hash)).length > 0;
  },

  /** Takes note of a receipt that changes an address. Returns false if it was seen before. */
  async first(tx: Tx, workspaceId: string, provider: string, receiptId: string): Promise<boolean> {
    const added = await tx.sql.run(
      `INSERT INTO receipt_seen (workspace_id, provider, receipt_id, at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (workspace_id, provider, receipt_id) DO NOTHING`,
      [workspaceId, provider, receiptId, tx.now],
    );
    return added > 0;
  },

  /** Deletes receipts whose message never came. */
  purge: olderThan('early_receipt', 'provider, message_id', 'at_ms', EARLY_TTL_MS),

  /** Forgets up to `limit` receipts that changed an address a year ago. Returns how many. */
  purgeSeen: olderThan('receipt_seen', 'provider, receipt_id', 'at_ms', SEEN_TTL_MS),
};

async function byMessage(tx: Tx, workspaceId: string, { provider, messageId }: MessageReceipt) {
  return tx.sql.get<Send>(
    `SELECT notification_id AS "notificationId", address_hash AS hash, status FROM notification_send
     WHERE workspace_id = ? AND provider = ? AND message_id = ? ORDER BY at_ms DESC LIMIT 1`,
    [workspaceId, provider, messageId ?? ''],
  );
}

/** Sets the status of the message to an address, or to all of them. One that was delivered or failed stays so. */
async function setStatus(
  tx: Tx,
  workspaceId: string,
  notificationId: string,
  hash: string | undefined,
  status: SendStatus,
): Promise<void> {
  await tx.sql.run(
    `UPDATE notification_send SET status = ?, at_ms = ?
     WHERE workspace_id = ? AND notification_id = ? AND status IN ('accepted', 'ambiguous')
       AND (address_hash = ? OR ? = '')`,
    [status, tx.now, workspaceId, notificationId, hash ?? '', hash ?? ''],
  );
}

/** A receipt by the message it names. */
type EarlyReceipt = Pick<MessageReceipt, 'provider' | 'failure' | 'address'> & { readonly messageId: string };

/** Keeps a receipt whose message is not known. Returns false if there is one, also one that was committed meanwhile. */
async function keepEarly(
  tx: Tx,
  workspaceId: string,
  { provider, messageId, failure, address }: EarlyReceipt,
): Promise<boolean> {
  const said = [address?.kind ?? null, address?.category ?? null, address?.id ?? null];
  const added = await tx.sql.run(
    `INSERT INTO early_receipt (workspace_id, provider, message_id, failure, kind, category, receipt_id, at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id, provider, message_id) DO NOTHING`,
    [workspaceId, provider, messageId, failure, ...said, tx.now],
  );
  return added > 0;
}

/** Removes the receipt that waits for a message, and returns it. */
async function takeEarly(
  tx: Tx,
  workspaceId: string,
  { provider, messageId }: Pick<EarlyReceipt, 'provider' | 'messageId'>,
): Promise<Pick<EarlyReceipt, 'failure' | 'address'> | undefined> {
  const row = await tx.sql.get<{
    failure: string | null;
    kind: AddressReceipt['kind'] | null;
    category: string | null;
    id: string | null;
  }>(
    `DELETE FROM early_receipt WHERE workspace_id = ? AND provider = ? AND message_id = ?
     RETURNING failure, kind, category, receipt_id AS id`,
    [workspaceId, provider, messageId],
  );
  if (!row) return undefined;
  const { failure, kind, category, id } = row;
  return {
    failure,
    address: kind === null ? undefined : { kind, category: category ?? undefined, id: id ?? undefined },
  };
}
