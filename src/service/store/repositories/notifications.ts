import { nextRetry } from '../../domain/notifications/dispatch.ts';
import type { HoldReason } from '../../domain/notifications/sending-rules.ts';
import {
  isEnd,
  type NotificationEvent,
  type NotificationState,
  step,
} from '../../domain/notifications/state.ts';
import type { Tx } from '../store.ts';
import { due } from './due.ts';
import type { Mode } from './workspaces.ts';

export interface HistoryEntry {
  readonly status: NotificationState;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Why it is held. */
  readonly reason?: HoldReason;
}

export interface StoredNotification {
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
  readonly priority: string;
  readonly status: NotificationState;
  readonly history: readonly HistoryEntry[];
  /** Why it failed, without personal data; null unless it failed. */
  readonly failure: string | null;
  /** Until when it is held, Unix ms; null unless it is. */
  readonly heldUntil: number | null;
}

/** A notification claimed by a worker. `variables` are encrypted. */
export interface ClaimedNotification extends StoredNotification {
  readonly workspaceId: string;
  /** The mode of the workspace. */
  readonly mode: Mode;
  readonly variables: Uint8Array;
  readonly claim: number;
  /** Earlier attempts to send it. */
  readonly tries: number;
}

/** The result of an attempt to send: delivered, to be retried, or failed. */
export type DispatchResult =
  | { readonly event: 'deliver' }
  | { readonly event: 'retry' | 'fail'; readonly failure: string };

export const NOTIFICATION_COLUMNS = `notification_id AS "notificationId", hash_id AS "hashId", template_id AS "templateId", channel,
  priority, status, history, failure, CASE WHEN status = 'held' THEN due_at END AS "heldUntil"`;

export type NotificationRow = Omit<StoredNotification, 'history'> & { history: string };
export const fromRow = <T extends { history: string }>(row: T) => ({
  ...row,
  history: JSON.parse(row.history) as HistoryEntry[],
});

export const notifications = {
  async create(
    tx: Tx,
    workspaceId: string,
    made: Pick<StoredNotification, 'notificationId' | 'hashId' | 'templateId' | 'channel' | 'priority'> & {
      readonly variables: Uint8Array;
    },
  ): Promise<void> {
    const history: HistoryEntry[] = [{ status: 'queued', at: new Date(tx.now).toISOString() }];
    await tx.sql.run(
      `INSERT INTO notification (workspace_id, notification_id, hash_id, template_id, channel, priority, variables,
         status, history, tries, claim, in_hand, due_at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, 0, 0, 0, ?, ?)`,
      [
        workspaceId,
        made.notificationId,
        made.hashId,
        made.templateId,
        made.channel,
        made.priority,
        made.variables,
        JSON.stringify(history),
        tx.now,
        tx.now,
      ],
    );
    await due.mark(tx, workspaceId, 'notifications');
    await tx.notify('notifications');
  },

  async get(tx: Tx, workspaceId: string, id: string): Promise<StoredNotification | undefined> {
    const row = await tx.sql.get<NotificationRow>(
      `SELECT ${NOTIFICATION_COLUMNS} FROM notification WHERE workspace_id = ? AND notification_id = ?`,
      [workspaceId, id],
    );
    return row && fromRow(row);
  },

  /** Extends the leases of claimed notifications. Skips locked rows until the next renewal. */
  async renew(tx: Tx, held: readonly ClaimedNotification[], leaseMs: number): Promise<void> {
    for (const { workspaceId, notificationId, claim } of held)
      await tx.sql.run(
        `UPDATE notification SET due_at = ? WHERE (workspace_id, notification_id) IN
           (SELECT workspace_id, notification_id FROM notification
            WHERE workspace_id = ? AND notification_id = ? AND claim = ? AND in_hand = 1
            ${tx.sql.dialect.skipLocked})`,
        [tx.now + leaseMs, workspaceId, notificationId, claim],
      );
  },

  /** Releases a claimed notification that was not sent, because the worker stops. */
  async release(tx: Tx, claimed: ClaimedNotification): Promise<void> {
    await tx.sql.run(
      `UPDATE notification SET in_hand = 0, due_at = ?, tries = ?
       WHERE workspace_id = ? AND notification_id = ? AND claim = ?`,
      [tx.now, claimed.tries, claimed.workspaceId, claimed.notificationId, claimed.claim],
    );
    await due.mark(tx, claimed.workspaceId, 'notifications');
  },

  /** Stores the result of an attempt. Does nothing if it is already stored, or another worker has claimed it since. */
  async finish(tx: Tx, claimed: ClaimedNotification, result: DispatchResult, random: number): Promise<void> {
    const row = await tx.sql.get<{ claim: number }>(
      'SELECT claim FROM notification WHERE workspace_id = ? AND notification_id = ? AND in_hand = 1',
      [claimed.workspaceId, claimed.notificationId],
    );
    if (row?.claim !== claimed.claim) return;
    const retryAt = result.event === 'retry' ? nextRetry(claimed.tries + 1, tx.now, random) : null;
    const event: NotificationEvent = result.event === 'retry' && retryAt === null ? 'fail' : result.event;
    await applyEvent(tx, claimed, event, {
      dueAt: retryAt,
      tries: claimed.tries + 1,
      failure: event === 'fail' && result.event !== 'deliver' ? result.failure : null,
    });
    if (retryAt !== null) await due.mark(tx, claimed.workspaceId, 'notifications', retryAt);
  },
};

/** Applies an event to a notification and stores the new state. Deletes the variables in an end state. */
export async function applyEvent(
  tx: Tx,
  of: ClaimedNotification,
  event: NotificationEvent,
  to: { dueAt: number | null; failure: string | null; tries: number; reason?: HoldReason },
): Promise<readonly HistoryEntry[]> {
  const { outcome, state } = step(of.status, event);
  if (outcome === 'refused') return of.history;
  const { reason } = to;
  const unchanged = outcome === 'stayed' && of.history.at(-1)?.reason === reason;
  const entry = { status: state, at: new Date(tx.now).toISOString(), ...(reason && { reason }) };
  const history = unchanged ? of.history : [...of.history, entry];
  await tx.sql.run(
    `UPDATE notification SET status = ?, history = ?, failure = ?, due_at = ?, claim = ?, in_hand = ?, tries = ?,
       variables = CASE WHEN ? = 1 THEN NULL ELSE variables END
     WHERE workspace_id = ? AND notification_id = ?`,
    [
      state,
      JSON.stringify(history),
      to.failure,
      to.dueAt,
      of.claim,
      event === 'dispatch' ? 1 : 0,
      to.tries,
      isEnd(state) ? 1 : 0,
      of.workspaceId,
      of.notificationId,
    ],
  );
  return history;
}
