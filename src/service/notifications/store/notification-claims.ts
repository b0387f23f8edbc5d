import { CHANNELS, PRIORITIES } from '../../../contract/schemas.ts';
import { bytesOf, fitting } from '../../platform/store/pages.ts';
import type { Tx } from '../../platform/store/store.ts';
import { type Mode, workspaces } from '../../platform/store/workspaces.ts';
import { afterLostWorker, UNCERTAIN } from '../rules/dispatch.ts';
import type { Verdict } from '../rules/sending-rules.ts';
import { applyEvent, endCancelled } from './notification-changes.ts';
import {
  type ClaimedNotification,
  fromRow,
  NOTIFICATION_COLUMNS,
  type NotificationRow,
  notificationClaim,
  type StoredNotification,
} from './notification-rows.ts';
import { notifications } from './notifications.ts';

/** A notification that is due, before it is claimed. */
export type DueNotification = Pick<
  StoredNotification,
  'notificationId' | 'hashId' | 'templateId' | 'channel' | 'priority'
> & {
  readonly workspaceId: string;
  /** The time for which it was triggered, or that when it was, Unix ms. */
  readonly sendFrom: number;
};

/** The notifications of a channel and priority, of which up to `limit` are claimed. */
export interface Claimable {
  readonly channel: string;
  readonly priority: string;
  readonly limit: number;
}

/** How notifications are claimed. */
export interface ClaimOptions {
  readonly leaseMs: number;
  readonly deduplicates: (channel: string, mode: Mode) => boolean;
  /** Decides whether a notification may be sent now, and counts it if so. Undefined if that cannot be said now. */
  readonly judge: (tx: Tx, found: DueNotification) => Promise<Verdict | undefined>;
}

/**
 * How long a claim may go on to the next notification, in ms: leases begin with the transaction, and its locks make others
 * skip what they find.
 */
const CLAIMING_MS = 2500;

/** The kinds of notifications, in the order in which they are sent: transactional ones first. */
const KINDS = PRIORITIES.flatMap((priority) => CHANNELS.map((channel) => ({ channel, priority })));

/** One statement for all kinds, each of which is one look into the index. */
const DUE_KINDS = KINDS.map(
  ({ channel, priority }, i) =>
    `SELECT ${i} AS kind WHERE EXISTS (SELECT 1 FROM notification
       WHERE workspace_id = ? AND channel = '${channel}' AND priority = '${priority}' AND due_at <= ?)`,
).join(' UNION ALL ');
const NEXT_DUE = KINDS.map(
  ({ channel, priority }) =>
    `SELECT min(due_at) AS at FROM notification
       WHERE workspace_id = ? AND channel = '${channel}' AND priority = '${priority}' AND due_at IS NOT NULL`,
).join(' UNION ALL ');

/** How workers find and claim the notifications that are due. */
export const notificationClaims = {
  /** The kinds of due notifications of a workspace, in the order in which they are sent. */
  async dueKinds(tx: Tx, workspaceId: string): Promise<{ channel: string; priority: string }[]> {
    const rows = await tx.sql.all<{ kind: number }>(
      DUE_KINDS,
      KINDS.flatMap(() => [workspaceId, tx.now]),
    );
    const found = new Set(rows.map(({ kind }) => kind));
    return KINDS.filter((_, i) => found.has(i));
  },

  /** When the next notification of a workspace is due, Unix ms; undefined if all have ended. */
  async nextDue(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const rows = await tx.sql.all<{ at: number | null }>(
      NEXT_DUE,
      KINDS.map(() => workspaceId),
    );
    const times = rows.flatMap(({ at }) => at ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  },

  /**
   * Claims due notifications of a workspace for `leaseMs`: for each entry up to `limit`, and those that `judge` lets
   * pass. They become dispatched before anything is sent, so that a crash of the worker is visible. After a crash, a
   * notification is claimed again only if the channel drops repeats, and fails otherwise. `settled` counts those that
   * were held, or failed, and `skipped` those that stay due.
   */
  async claim(
    tx: Tx,
    workspaceId: string,
    entries: readonly Claimable[],
    options: ClaimOptions,
  ): Promise<{ claimed: ClaimedNotification[][]; settled: number; skipped: number }> {
    const started = performance.now();
    const mode = (await workspaces.get(tx, workspaceId))!.mode;
    const claimed: ClaimedNotification[][] = [];
    let settled = 0;
    let skipped = 0;
    for (const entry of entries) {
      const kept: ClaimedNotification[] = [];
      claimed.push(kept);
      for (const row of await take(tx, workspaceId, entry, options.leaseMs)) {
        const found = { ...fromRow(row), workspaceId, mode };
        const late = performance.now() - started > CLAIMING_MS;
        const one = late ? 'skipped' : await dispatch(tx, found, row.claimed > 1, options);
        if (one === 'settled') settled++;
        else if (one !== 'skipped') kept.push(one);
        else {
          skipped++;
          await notifications.release(tx, found);
        }
      }
    }
    return { claimed, settled, skipped };
  },
};

type ClaimedRow = NotificationRow &
  Pick<
    ClaimedNotification,
    'variables' | 'claim' | 'tries' | 'sendFrom' | 'cancelled' | 'mayHaveLeft' | 'trace'
  > & {
    readonly claimed: number;
  };

/** Claims the longest due notifications of a kind, as many as fit into memory. */
async function take(
  tx: Tx,
  workspaceId: string,
  { channel, priority, limit }: Claimable,
  leaseMs: number,
): Promise<ClaimedRow[]> {
  const sizes = await tx.sql.all<{ bytes: number }>(
    `SELECT ${bytesOf(['variables', 'history'])} AS bytes
     FROM notification WHERE workspace_id = ? AND channel = ? AND priority = ? AND due_at <= ?
     ORDER BY due_at LIMIT ?`,
    [workspaceId, channel, priority, tx.now, limit],
  );
  if (sizes.length === 0) return [];
  return notificationClaim.take<ClaimedRow>(
    tx,
    workspaceId,
    { where: 'channel = ? AND priority = ?', params: [channel, priority], limit: fitting(sizes), leaseMs },
    `${NOTIFICATION_COLUMNS}, variables, claim, tries, claimed, cancelled, may_have_left AS "mayHaveLeft",
      COALESCE(send_at, created_at) AS "sendFrom", trace`,
  );
}

/** Dispatches a claimed notification, or holds or fails it, which ends the claim; `skipped` if it stays due. */
async function dispatch(
  tx: Tx,
  found: ClaimedNotification,
  workerLost: boolean,
  { deduplicates, judge }: ClaimOptions,
): Promise<ClaimedNotification | 'settled' | 'skipped'> {
  const { tries } = found;
  if (found.cancelled) {
    await endCancelled(tx, found, workerLost);
    return 'settled';
  }
  if (workerLost && afterLostWorker(deduplicates(found.channel, found.mode)) === 'give-up') {
    const failure = `${UNCERTAIN}the service stopped while it was being sent; whether it was sent is not known`;
    await applyEvent(tx, found, 'fail', { dueAt: null, tries, failure, mayHaveLeft: true });
    return 'settled';
  }
  const judged = await judge(tx, found);
  if (!judged) return 'skipped';
  if (judged.verdict === 'refuse') {
    await applyEvent(tx, found, 'fail', { dueAt: null, tries, failure: judged.reason });
    return 'settled';
  }
  if (judged.verdict === 'hold') {
    const { reason, until } = judged;
    await applyEvent(tx, found, 'hold', { dueAt: until, tries, failure: null, reason });
    return 'settled';
  }
  const history = await applyEvent(tx, found, 'dispatch', {
    failure: null,
    tries: tries + 1,
    mayHaveLeft: workerLost,
  });
  return history ? { ...found, status: 'dispatched', history } : 'skipped';
}
