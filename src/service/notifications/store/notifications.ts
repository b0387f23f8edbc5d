import { definedFields } from '../../../kit/defined-fields.ts';
import { due } from '../../platform/store/due.ts';
import { conditionsOf, type Page, readPage } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';
import type { Mode } from '../../platform/store/workspaces.ts';
import { Claims } from '../../platform/workers/jobs.ts';
import { contacts } from '../../users/store/contacts.ts';
import { namedKinds } from '../../webhooks/store/named-kinds.ts';
import { CONFIRMED, nextAfterThrottle, nextRetry, SEND_AT, UNCERTAIN } from '../rules/dispatch.ts';
import { isEnd, type NotificationEvent, type NotificationState, step } from '../rules/state.ts';
import { marketingSent } from './sent.ts';
import { type ToldNotification, tell } from './tell.ts';

export interface HistoryEntry {
  readonly status: NotificationState;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Why it is held, or how it is known to be delivered. */
  readonly reason?: string;
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
  /** The time for which it was triggered, Unix ms; null for at once. */
  readonly sendAt: number | null;
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
  /** The time for which it was triggered, or that when it was, Unix ms. */
  readonly sendFrom: number;
  /** 1 if nothing more of it may be sent. */
  readonly cancelled: number;
  /** 1 once a message of it left for a provider that took it, or may have. */
  readonly mayHaveLeft: number;
  /** The traceparent of the request that triggered it, or null. */
  readonly trace: string | null;
}

/** A notification that the transaction has locked. */
export type LockedNotification = StoredNotification &
  Pick<ClaimedNotification, 'workspaceId' | 'claim' | 'tries' | 'cancelled' | 'mayHaveLeft'> & {
    /** More than 0 while a worker holds a claim. */
    readonly claimed: number;
    /** Unix ms; null if it is not due any more. */
    readonly dueAt: number | null;
  };

/** Which notifications; times are Unix ms. */
export interface NotificationFilter {
  readonly hashId: string | undefined;
  readonly status: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** The channel accepted a notification: a receipt will follow, or that is all that will be known. */
export type Accepted = { readonly event: 'accept' } | { readonly event: 'deliver'; readonly reason: string };

/** The result of an attempt to send: accepted, to be retried, or failed. */
export type DispatchResult =
  | Accepted
  | { readonly event: 'fail'; readonly failure: string }
  | {
      readonly event: 'retry';
      readonly failure: string;
      /** How long the provider asks to wait, in ms. */
      readonly retryAfterMs?: number | undefined;
      /** Too many requests: the attempt does not count. */
      readonly throttled: boolean;
      /** What another address of the user accepted; it holds when no retry is left. */
      readonly accepted: Accepted | undefined;
    };

/** What became of a notification that was cancelled. */
export interface Cancelled {
  readonly status: NotificationState;
  /** A message of it left, or may have. */
  readonly sentBefore: boolean;
  /** A worker sends it now, for the last time. */
  readonly sending: boolean;
}

export const NOTIFICATION_COLUMNS = `notification_id AS "notificationId", hash_id AS "hashId", template_id AS "templateId", channel,
  priority, status, history, failure, CASE WHEN status = 'held' THEN due_at END AS "heldUntil",
  send_at AS "sendAt"`;

export type NotificationRow = Omit<StoredNotification, 'history'> & { history: string };
export const fromRow = <T extends { history: string }>(row: T) => ({
  ...row,
  history: JSON.parse(row.history) as HistoryEntry[],
});

/** The claims of the dispatcher. */
export const notificationClaim = new Claims<
  Pick<ClaimedNotification, 'workspaceId' | 'notificationId' | 'claim'>
>('notification', 'notifications', ({ notificationId }) => notificationId);

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

/**
 * Ends a notification that the transaction has locked or claimed, and that no worker sends. `mayHaveLeft`: a message may have
 * left in the attempt that ends. What was certainly not sent counts neither as a contact nor against a cap.
 */
export async function endCancelled(
  tx: Tx,
  of: Parameters<typeof applyEvent>[1] & Pick<ClaimedNotification, 'hashId' | 'tries' | 'mayHaveLeft'>,
  mayHaveLeft = false,
): Promise<void> {
  await applyEvent(tx, of, 'cancel', { dueAt: null, failure: null, tries: of.tries, mayHaveLeft });
  if (mayHaveLeft || of.mayHaveLeft) return;
  await contacts.release(tx, of.workspaceId, of.hashId, of.notificationId);
  await marketingSent.remove(tx, of.workspaceId, of.hashId, of.notificationId);
}

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

interface NextState {
  /** When it is due again, Unix ms; null if it is not. Omitted while a worker sends it: its lease stays. */
  readonly dueAt?: number | null;
  readonly failure: string | null;
  readonly tries: number;
  /** A message of it left, or may have. Otherwise what is stored stays. */
  readonly mayHaveLeft?: boolean;
  readonly reason?: string;
  /** The state does not enter the history. */
  readonly silent?: boolean;
}

/**
 * Applies an event to a notification that the transaction has locked or claimed, and stores the new state. Deletes the
 * variables once they are not needed. Tells each entry of the history to webhooks. Returns the new history; undefined if the
 * event is not allowed, or another worker has claimed it since.
 */
export async function applyEvent(
  tx: Tx,
  of: ToldNotification &
    Pick<ClaimedNotification, 'workspaceId' | 'status' | 'history' | 'claim'> & {
      readonly trace?: string | null;
    },
  event: NotificationEvent,
  { dueAt, failure, tries, mayHaveLeft = false, reason, silent = false }: NextState,
): Promise<readonly HistoryEntry[] | undefined> {
  const { outcome, state } = step(of.status, event);
  if (outcome === 'refused') return undefined;
  const unchanged =
    silent || (outcome === 'stayed' && (reason === undefined || of.history.at(-1)?.reason === reason));
  const entry = { status: state, at: new Date(tx.now).toISOString(), ...(reason && { reason }) };
  const history = unchanged ? of.history : [...of.history, entry];
  const columns: Record<string, SqlValue> = {
    status: state,
    history: JSON.stringify(history),
    failure,
    tries,
  };
  if (mayHaveLeft) columns.may_have_left = 1;
  if (dueAt !== undefined) Object.assign(columns, { due_at: dueAt, claimed: 0 });
  if (isEnd(state) || event === 'accept') columns.variables = null;
  const [stored, named] = await pipeline([
    notificationClaim.store(tx, of, columns),
    unchanged ? undefined : namedKinds(tx, of.workspaceId),
  ]);
  if (!stored) return undefined;
  const kind = `notification.${state}` as const;
  if (named?.has(kind))
    await tell(tx, of.workspaceId, kind, of, {
      ...definedFields({ reason: failure ?? reason }),
      trace: of.trace ?? undefined,
    });
  return history;
}
