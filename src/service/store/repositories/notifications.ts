import {
  afterLostWorker,
  CONFIRMED,
  nextAfterThrottle,
  nextRetry,
  UNCERTAIN,
} from '../../domain/notifications/dispatch.ts';
import {
  isEnd,
  type NotificationEvent,
  type NotificationState,
  step,
} from '../../domain/notifications/state.ts';
import { bytesOf, fitting } from '../pages.ts';
import type { Tx } from '../store.ts';
import { due } from './due.ts';
import type { Mode } from './workspaces.ts';

export interface HistoryEntry {
  readonly status: NotificationState;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** How the state is known, where that may differ. */
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
  /** Unix ms. */
  readonly createdAt: number;
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

const COLUMNS = `notification_id AS "notificationId", hash_id AS "hashId", template_id AS "templateId", channel,
  priority, status, history, failure`;

type Row = Omit<StoredNotification, 'history'> & { history: string };
const fromRow = <T extends { history: string }>(row: T) => ({
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
    const row = await tx.sql.get<Row>(
      `SELECT ${COLUMNS} FROM notification WHERE workspace_id = ? AND notification_id = ?`,
      [workspaceId, id],
    );
    return row && fromRow(row);
  },

  /** The channels of a workspace with due notifications. */
  async dueChannels(tx: Tx, workspaceId: string): Promise<string[]> {
    const rows = await tx.sql.all<{ channel: string }>(
      'SELECT DISTINCT channel FROM notification WHERE workspace_id = ? AND due_at <= ?',
      [workspaceId, tx.now],
    );
    return rows.map((row) => row.channel);
  },

  /** When the next notification of a workspace is due, Unix ms; undefined if all have ended. */
  async nextDue(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number | null }>(
      'SELECT min(due_at) AS at FROM notification WHERE workspace_id = ? AND due_at IS NOT NULL',
      [workspaceId],
    );
    return row?.at ?? undefined;
  },

  /**
   * Claims up to `most` due notifications of a workspace and channel for `leaseMs`. They become dispatched before anything is sent, so
   * that a crash of the worker is visible. After a crash, a notification is claimed again only if the channel drops
   * repeats, and fails otherwise.
   */
  async claim(
    tx: Tx,
    workspaceId: string,
    channel: string,
    most: number,
    { leaseMs, dropsRepeats }: { leaseMs: number; dropsRepeats: (mode: Mode) => boolean },
  ): Promise<ClaimedNotification[]> {
    const found = await tx.sql.all<{ id: string; bytes: number }>(
      `SELECT notification_id AS id, ${bytesOf(['variables', 'history'])} AS bytes FROM notification
       WHERE workspace_id = ? AND channel = ? AND due_at <= ? ORDER BY due_at LIMIT ? ${tx.sql.dialect.skipLocked}`,
      [workspaceId, channel, tx.now, most],
    );
    const claimed: ClaimedNotification[] = [];
    for (const { id } of found.slice(0, fitting(found))) {
      const row = await tx.sql.get<
        Row &
          Pick<ClaimedNotification, 'variables' | 'claim' | 'tries' | 'mode' | 'createdAt'> & {
            inHand: number;
          }
      >(
        `SELECT ${COLUMNS}, variables, claim, tries, in_hand AS "inHand", created_at AS "createdAt",
           (SELECT mode FROM workspace w WHERE w.workspace_id = notification.workspace_id) AS mode
         FROM notification WHERE workspace_id = ? AND notification_id = ?`,
        [workspaceId, id],
      );
      const { inHand, ...rest } = { ...fromRow(row!), workspaceId };
      const lost = inHand === 1 && afterLostWorker(dropsRepeats(rest.mode)) === 'give-up';
      const next = { ...rest, claim: rest.claim + 1 };
      if (lost) {
        await applyEvent(tx, next, 'fail', {
          dueAt: null,
          tries: rest.tries,
          failure: `${UNCERTAIN}the service stopped while it was being sent; whether it was sent is not known`,
        });
        continue;
      }
      const history = await applyEvent(tx, next, 'dispatch', {
        dueAt: tx.now + leaseMs,
        failure: null,
        tries: rest.tries + 1,
      });
      claimed.push({ ...next, status: 'dispatched', history });
    }
    return claimed;
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
    const retryAt = retryTime(claimed, result, tx.now, random);
    if (result.event === 'retry' && retryAt !== null) {
      const tries = claimed.tries + (result.throttled ? 0 : 1);
      await applyEvent(tx, claimed, 'retry', { dueAt: retryAt, failure: null, tries });
      await due.mark(tx, claimed.workspaceId, 'notifications', retryAt);
      return;
    }
    const end =
      result.event === 'retry' ? (result.accepted ?? { ...result, event: 'fail' as const }) : result;
    await applyEvent(tx, claimed, end.event, {
      dueAt: null,
      tries: claimed.tries + 1,
      failure: end.event === 'fail' ? end.failure : null,
      ...(end.event === 'deliver' ? { reason: end.reason } : {}),
    });
  },

  /**
   * Applies a receipt. A notification that ended stays as it is, unless its outcome was uncertain. Returns false if the
   * receipt changed nothing.
   */
  async applyReceipt(
    tx: Tx,
    workspaceId: string,
    notificationId: string,
    receipt: { readonly failure: string | null },
  ): Promise<boolean> {
    const row = await tx.sql.get<Row & { claim: number; tries: number }>(
      `SELECT ${COLUMNS}, claim, tries FROM notification
       WHERE workspace_id = ? AND notification_id = ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, notificationId],
    );
    if (!row) return false;
    const found = { ...fromRow(row), workspaceId };
    const uncertain = found.status === 'failed' && (found.failure?.startsWith(UNCERTAIN) ?? false);
    const event = receipt.failure === null ? 'deliver' : 'fail';
    if (step(uncertain ? 'dispatched' : found.status, event).outcome !== 'moved') return false;
    await applyEvent(tx, { ...found, status: uncertain ? 'dispatched' : found.status }, event, {
      dueAt: null,
      tries: found.tries,
      failure: receipt.failure,
      ...(event === 'deliver' ? { reason: CONFIRMED } : {}),
      // It has failed already: only the reason is known better now.
      silent: uncertain && event === 'fail',
    });
    return true;
  },
};

/** When to try again, Unix ms; null if not at all. */
function retryTime(
  { tries, createdAt }: ClaimedNotification,
  result: DispatchResult,
  now: number,
  random: number,
): number | null {
  if (result.event !== 'retry') return null;
  return result.throttled
    ? nextAfterThrottle(createdAt, now, random, result.retryAfterMs)
    : nextRetry(tries + 1, now, random, result.retryAfterMs);
}

interface NextState {
  readonly dueAt: number | null;
  readonly failure: string | null;
  readonly tries: number;
  readonly reason?: string;
  /** The state does not enter the history. */
  readonly silent?: boolean;
}

/** Applies an event to a notification and stores the new state. Deletes the variables once they are not needed. */
async function applyEvent(
  tx: Tx,
  of: Pick<ClaimedNotification, 'workspaceId' | 'notificationId' | 'status' | 'history' | 'claim'>,
  event: NotificationEvent,
  { dueAt, failure, tries, reason, silent = false }: NextState,
): Promise<readonly HistoryEntry[]> {
  const { outcome, state } = step(of.status, event);
  if (outcome === 'refused') return of.history;
  const entry = {
    status: state,
    at: new Date(tx.now).toISOString(),
    ...(reason === undefined ? {} : { reason }),
  };
  const history = outcome === 'moved' && !silent ? [...of.history, entry] : of.history;
  await tx.sql.run(
    `UPDATE notification SET status = ?, history = ?, failure = ?, due_at = ?, claim = ?, in_hand = ?, tries = ?,
       variables = CASE WHEN ? = 1 THEN NULL ELSE variables END
     WHERE workspace_id = ? AND notification_id = ?`,
    [
      state,
      JSON.stringify(history),
      failure,
      dueAt,
      of.claim,
      event === 'dispatch' ? 1 : 0,
      tries,
      isEnd(state) || event === 'accept' ? 1 : 0,
      of.workspaceId,
      of.notificationId,
    ],
  );
  return history;
}
