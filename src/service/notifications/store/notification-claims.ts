import { CHANNELS, PRIORITIES } from '../../../contract/schemas.ts';
import { bytesOf, fitting } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Tx } from '../../platform/store/store.ts';
import { type Mode, workspaces } from '../../platform/store/workspaces.ts';
import { afterLostWorker, UNCERTAIN } from '../rules/dispatch.ts';
import type { Verdict } from '../rules/sending-rules.ts';
import {
  applyEvent,
  type ClaimedNotification,
  fromRow,
  NOTIFICATION_COLUMNS,
  type NotificationRow,
  type StoredNotification,
} from './notifications.ts';

/** A notification that is due, before it is claimed. */
export type DueNotification = Pick<
  StoredNotification,
  'notificationId' | 'hashId' | 'templateId' | 'channel' | 'priority'
> & {
  readonly workspaceId: string;
  /** Unix ms. */
  readonly createdAt: number;
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
    const found = new Set(rows.map(({ kind }) => Number(kind)));
    return KINDS.filter((_, i) => found.has(i));
  },

  /** When the next notification of a workspace is due, Unix ms; undefined if all have ended. */
  async nextDue(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const rows = await tx.sql.all<{ at: number | null }>(
      NEXT_DUE,
      KINDS.map(() => workspaceId),
    );
    const times = rows.flatMap(({ at }) => (at === null ? [] : [Number(at)]));
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
    const found: { id: string; entry: number }[] = [];
    for (const [entry, { channel, priority, limit }] of entries.entries()) {
      const rows = await tx.sql.all<{ id: string; bytes: number }>(
        `SELECT notification_id AS id, ${bytesOf(['variables', 'history'])} AS bytes
         FROM notification WHERE workspace_id = ? AND channel = ? AND priority = ? AND due_at <= ?
         ORDER BY due_at LIMIT ? ${tx.sql.dialect.skipLocked}`,
        [workspaceId, channel, priority, tx.now, limit],
      );
      found.push(...rows.slice(0, fitting(rows)).map(({ id }) => ({ id, entry })));
    }
    const claimed: ClaimedNotification[][] = entries.map(() => []);
    let settled = 0;
    let skipped = 0;
    for (const [i, { id, entry }] of found.entries()) {
      if (i > 0 && performance.now() - started > CLAIMING_MS) {
        skipped += found.length - i;
        break;
      }
      const one = await claimOne(tx, workspaceId, id, options);
      if (one === 'settled') settled++;
      else if (one === 'skipped') skipped++;
      else claimed[entry]!.push(one);
    }
    return { claimed, settled, skipped };
  },
};

/** Claims one notification, holds or fails it, or leaves it as it is. Returns it if it was claimed. */
async function claimOne(
  tx: Tx,
  workspaceId: string,
  id: string,
  { leaseMs, deduplicates, judge }: ClaimOptions,
): Promise<ClaimedNotification | 'settled' | 'skipped'> {
  // Two statements: the workspaces may be on another server than the notifications.
  const [row, workspace] = await pipeline([
    tx.sql.get<
      NotificationRow &
        Pick<ClaimedNotification, 'variables' | 'claim' | 'tries' | 'createdAt' | 'trace'> & {
          claimed: number;
        }
    >(
      `SELECT ${NOTIFICATION_COLUMNS}, variables, claim, tries, claimed AS "claimed", created_at AS "createdAt", trace
       FROM notification WHERE workspace_id = ? AND notification_id = ?`,
      [workspaceId, id],
    ),
    workspaces.get(tx, workspaceId),
  ]);
  const mode = workspace?.mode ?? null;
  const { claimed, ...rest } = { ...fromRow(row!), mode, workspaceId };
  const { tries } = rest;
  const claim = rest.claim + 1;
  if (claimed === 1 && afterLostWorker(deduplicates(rest.channel, rest.mode)) === 'give-up') {
    const failure = `${UNCERTAIN}the service stopped while it was being sent; whether it was sent is not known`;
    await applyEvent(tx, rest, 'fail', { dueAt: null, tries, claim, failure });
    return 'settled';
  }
  const judged = await judge(tx, rest);
  if (!judged) return 'skipped';
  if (judged.verdict === 'refuse') {
    await applyEvent(tx, rest, 'fail', { dueAt: null, tries, claim, failure: judged.reason });
    return 'settled';
  }
  if (judged.verdict === 'hold') {
    const { reason, until } = judged;
    await applyEvent(tx, rest, 'hold', { dueAt: until, tries, claim, failure: null, reason });
    return 'settled';
  }
  const to = { dueAt: tx.now + leaseMs, failure: null, tries: tries + 1, claim };
  const history = await applyEvent(tx, rest, 'dispatch', to);
  return history ? { ...rest, claim, status: 'dispatched', history } : 'skipped';
}
