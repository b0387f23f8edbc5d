import { NOTIFICATION_STATES } from '../../../contract/schemas.ts';
import { definedFields } from '../../../kit/defined-fields.ts';
import { due } from '../../platform/store/due.ts';
import { conditionsOf, type Page, readPage } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Tx } from '../../platform/store/store.ts';
import { namedKinds } from '../../webhooks/store/named-kinds.ts';
import { CONFIRMED, nextAfterThrottle, nextRetry, SEND_AT, UNCERTAIN } from '../rules/dispatch.ts';
import { type NotificationState, step } from '../rules/state.ts';
import { applyEvent, endCancelled } from './notification-changes.ts';
import {
  type Cancelled,
  type ClaimedNotification,
  type DispatchResult,
  fromRow,
  type HistoryEntry,
  type LockedNotification,
  NOTIFICATION_COLUMNS,
  type NotificationFilter,
  type NotificationRow,
  notificationClaim,
  type StoredNotification,
} from './notification-rows.ts';
import { tell } from './tell.ts';

/** Notifications of a state that are counted, those that failed by reason, and reasons that are named. */
const COUNTED = 5_000;
const MOST_FAILURES = 20;

export const notifications = {
  /** Adds a notification, which is due at `sendAt` or at once. Returns its state. */
  async create(
    tx: Tx,
    workspaceId: string,
    made: Pick<StoredNotification, 'notificationId' | 'hashId' | 'templateId' | 'channel' | 'priority'> & {
      readonly variables: Uint8Array;
      /** Unix ms. */
      readonly sendAt?: number | undefined;
      readonly trace?: string | undefined;
    },
  ): Promise<NotificationState> {
    const at = new Date(tx.now).toISOString();
    const history: HistoryEntry[] = [{ status: 'queued', at }];
    if (made.sendAt !== undefined) history.push({ status: 'held', at, reason: SEND_AT });
    const { status } = history.at(-1)!;
    const dueAt = made.sendAt ?? tx.now;
    await tx.sql.run(
      `INSERT INTO notification (workspace_id, notification_id, hash_id, template_id, channel, priority, variables,
         status, history, tries, claim, claimed, due_at, created_at, send_at, cancelled, may_have_left, trace)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, 0, 0, ?)`,
      [
        workspaceId,
        made.notificationId,
        made.hashId,
        made.templateId,
        made.channel,
        made.priority,
        made.variables,
        status,
        JSON.stringify(history),
        dueAt,
        tx.now,
        made.sendAt ?? null,
        made.trace ?? null,
      ],
    );
    await due.mark(tx, workspaceId, 'notifications', dueAt);
    await tx.notify('notifications');
    if (status === 'held' && (await namedKinds(tx, workspaceId)).has('notification.held'))
      await tell(tx, workspaceId, 'notification.held', made, {
        reason: SEND_AT,
        ...definedFields({ trace: made.trace }),
      });
    return status;
  },

  async get(tx: Tx, workspaceId: string, id: string): Promise<StoredNotification | undefined> {
    const row = await tx.sql.get<NotificationRow>(
      `SELECT ${NOTIFICATION_COLUMNS} FROM notification WHERE workspace_id = ? AND notification_id = ?`,
      [workspaceId, id],
    );
    return row && fromRow(row);
  },

  /** A page of the notifications of a workspace that a filter admits, newest first, after the position `after`. */
  async list(
    tx: Tx,
    workspaceId: string,
    filter: NotificationFilter,
    limit: number,
    after: { readonly at: number; readonly id: string } | undefined,
  ): Promise<Page<StoredNotification & { readonly createdAt: number }>> {
    const { text, params } = conditionsOf([
      ['hash_id = ?', filter.hashId],
      ['status = ?', filter.status],
      // The state is what the index can seek.
      [`status = 'failed' AND failure = ?`, filter.failure],
      ['created_at >= ?', filter.since],
      ['created_at < ?', filter.until],
      // The first condition is what the index can seek.
      ['created_at <= ? AND (created_at < ? OR notification_id > ?)', after?.at, after?.at, after?.id],
    ]);
    const { rows, more } = await readPage<NotificationRow & { createdAt: number }>(tx, {
      columns: `${NOTIFICATION_COLUMNS}, created_at AS "createdAt"`,
      long: ['hash_id', 'template_id', 'history', 'failure'],
      from: `notification WHERE workspace_id = ?${text}`,
      params: [workspaceId, ...params],
      order: 'created_at DESC, notification_id',
      limit,
    });
    return { rows: rows.map(fromRow), more };
  },

  /** How many notifications are in each state, counted up to COUNTED of each, or of the latest of a user. */
  async counts(
    tx: Tx,
    workspaceId: string,
    filter: Pick<NotificationFilter, 'hashId' | 'since' | 'until'>,
  ): Promise<Record<NotificationState, number>> {
    const { text, params } = conditionsOf([
      ['hash_id = ?', filter.hashId],
      ['created_at >= ?', filter.since],
      ['created_at < ?', filter.until],
    ]);
    const count = (which: string, values: readonly string[]) =>
      tx.sql.all<{ status: NotificationState; n: number }>(
        `SELECT status, COUNT(*) AS n FROM (SELECT status FROM notification
           WHERE workspace_id = ?${which}${text} ORDER BY created_at DESC LIMIT ${COUNTED}) AS c GROUP BY status`,
        [workspaceId, ...values, ...params],
      );
    // Those of a user are found by the user, not among all of a state.
    const rows = await (filter.hashId === undefined
      ? pipeline(NOTIFICATION_STATES.map((status) => count(' AND status = ?', [status])))
      : pipeline([count('', [])]));
    const found = new Map(rows.flat().map(({ status, n }) => [status, Number(n)]));
    return Object.fromEntries(
      NOTIFICATION_STATES.map((status) => [status, found.get(status) ?? 0]),
    ) as Record<NotificationState, number>;
  },

  /** Why notifications failed, the most frequent reason first, of the latest that did. */
  async failures(
    tx: Tx,
    workspaceId: string,
    filter: Pick<NotificationFilter, 'hashId' | 'since' | 'until'>,
  ): Promise<{ failure: string; count: number }[]> {
    const { text, params } = conditionsOf([
      ['hash_id = ?', filter.hashId],
      ['created_at >= ?', filter.since],
      ['created_at < ?', filter.until],
    ]);
    const rows = await tx.sql.all<{ failure: string; count: number }>(
      `SELECT failure, COUNT(*) AS count FROM (SELECT failure FROM notification
         WHERE workspace_id = ? AND status = 'failed'${text} ORDER BY created_at DESC LIMIT ${COUNTED}) AS f
       WHERE failure IS NOT NULL GROUP BY failure ORDER BY 2 DESC, 1 LIMIT ${MOST_FAILURES}`,
      [workspaceId, ...params],
    );
    return rows.map(({ failure, count }) => ({ failure, count: Number(count) }));
  },

  /** Releases a claimed notification that was not sent: the attempt does not count. */
  release: (tx: Tx, claimed: ClaimedNotification): Promise<void> =>
    notificationClaim.release(tx, claimed, { tries: claimed.tries }),

  /**
   * Stores the result of an attempt, under the lock that receipts take. Does nothing if it is already stored, if a receipt
   * has ended the notification, or if another worker has claimed it since.
   */
  async finish(tx: Tx, claimed: ClaimedNotification, result: DispatchResult, random: number): Promise<void> {
    const found = await notifications.locked(tx, claimed.workspaceId, claimed.notificationId);
    if (!found?.claimed || found.claim !== claimed.claim) return;
    const retryAt = found.cancelled ? null : retryTime(claimed, result, tx.now, random);
    const mayHaveLeft = leaves(result);
    if (result.event === 'retry' && retryAt !== null) {
      const tries = claimed.tries + (result.throttled ? 0 : 1);
      const history = withLastReason(found.history, result.failure);
      const next = { dueAt: retryAt, failure: null, tries, silent: true, mayHaveLeft };
      await applyEvent(tx, { ...found, history }, 'retry', next);
      await due.mark(tx, claimed.workspaceId, 'notifications', retryAt);
      return;
    }
    if (result.event === 'retry' && !result.accepted && found.cancelled)
      return endCancelled(tx, found, mayHaveLeft);
    const end =
      result.event === 'retry' ? (result.accepted ?? { ...result, event: 'fail' as const }) : result;
    // Why an earlier attempt was repeated does not apply to a message that was accepted.
    const history = end.event === 'accept' ? withLastReason(found.history, undefined) : found.history;
    await applyEvent(tx, { ...found, history }, end.event, {
      dueAt: null,
      tries: claimed.tries + 1,
      failure: end.event === 'fail' ? end.failure : null,
      mayHaveLeft,
      ...(end.event === 'deliver' ? { reason: end.reason } : {}),
    });
  },

  /**
   * Ends a notification of which nothing more is to be sent, under the lock that its worker and receipts take. While a worker
   * sends it, it is marked: that attempt is the last. Returns undefined if there is none.
   */
  async cancel(tx: Tx, workspaceId: string, notificationId: string): Promise<Cancelled | undefined> {
    const found = await notifications.locked(tx, workspaceId, notificationId);
    if (!found) return undefined;
    const sending = found.claimed > 0;
    if (sending) await notificationClaim.store(tx, found, { cancelled: 1 });
    else if (found.dueAt !== null) await endCancelled(tx, found);
    return {
      status: !sending && found.dueAt !== null ? 'cancelled' : found.status,
      sentBefore: sending || found.mayHaveLeft === 1,
      sending,
    };
  },

  /** Whether nothing more of a claimed notification may be sent, because it was cancelled or erased. */
  async isCancelled(tx: Tx, { workspaceId, notificationId }: ClaimedNotification): Promise<boolean> {
    const row = await tx.sql.get<{ cancelled: number }>(
      'SELECT cancelled FROM notification WHERE workspace_id = ? AND notification_id = ?',
      [workspaceId, notificationId],
    );
    return row?.cancelled !== 0;
  },

  /**
   * Locks a notification until the transaction ends, and reads it. Its worker and receipts do so before they store what
   * became of its messages. Undefined if there is none.
   */
  async locked(tx: Tx, workspaceId: string, notificationId: string): Promise<LockedNotification | undefined> {
    const row = await tx.sql.get<NotificationRow & Omit<LockedNotification, 'history'>>(
      `SELECT ${NOTIFICATION_COLUMNS}, claim, tries, claimed, cancelled, may_have_left AS "mayHaveLeft",
         due_at AS "dueAt" FROM notification
       WHERE workspace_id = ? AND notification_id = ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, notificationId],
    );
    return row && { ...fromRow(row), workspaceId };
  },

  /**
   * Applies a receipt to a notification that the transaction has locked. One that ended stays as it is, unless its outcome
   * was uncertain. Returns false if the receipt changed nothing.
   */
  async applyReceipt(
    tx: Tx,
    found: LockedNotification,
    receipt: { readonly failure: string | null },
  ): Promise<boolean> {
    const uncertain = found.status === 'failed' && (found.failure?.startsWith(UNCERTAIN) ?? false);
    const event = receipt.failure === null ? 'deliver' : 'fail';
    if (step(uncertain ? 'dispatched' : found.status, event).outcome !== 'moved') return false;
    await applyEvent(tx, { ...found, status: uncertain ? 'dispatched' : found.status }, event, {
      dueAt: null,
      tries: found.tries,
      failure: receipt.failure,
      mayHaveLeft: true,
      ...(event === 'deliver' ? { reason: CONFIRMED } : {}),
      // It has failed already: only the reason is known better now.
      silent: uncertain && event === 'fail',
    });
    return true;
  },
};

function withLastReason(history: readonly HistoryEntry[], reason: string | undefined): HistoryEntry[] {
  const last = history.at(-1)!;
  return [...history.slice(0, -1), { status: last.status, at: last.at, ...definedFields({ reason }) }];
}

/** Whether a message may have left in an attempt. */
function leaves(result: DispatchResult): boolean {
  const { event } = result;
  if (event === 'accept' || event === 'deliver') return true;
  return result.failure.startsWith(UNCERTAIN) || (event === 'retry' && result.accepted !== undefined);
}

/** When to try again, Unix ms; null if not at all. */
function retryTime(
  { tries, sendFrom }: ClaimedNotification,
  result: DispatchResult,
  now: number,
  random: number,
): number | null {
  if (result.event !== 'retry') return null;
  return result.throttled
    ? nextAfterThrottle(sendFrom, now, random, result.retryAfterMs)
    : nextRetry(tries + 1, now, random, result.retryAfterMs);
}
