import { due } from '../../platform/store/due.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { LoggedOccurrence } from '../rules/occurrence.ts';
import { queueDeliveries } from './delivery-rows.ts';
import { type LogPlace, outcomeLog } from './outcome-log.ts';
import { isWanted } from './stored-filters.ts';

/** Outcomes that one transaction reads for a subscription. */
const PIECE = 64;
/** A subscription gets more once no more of its deliveries than this are due, so that what it missed never is far ahead. */
const MAX_DUE = 64;
/** Subscriptions that one transaction serves. */
export const PER_ROUND = 8;
/** When to look again at a subscription whose deliveries wait, in ms. */
export const PAUSE_MS = 20;
/**
 * A transaction that stores an outcome takes less, in ms. So long before it is disabled and after it is enabled, a
 * subscription may miss one: its transaction began before and saw the other status.
 */
const MARGIN_MS = 60_000;

/** A subscription that gets what it missed. */
export interface CatchUp {
  /** Since when, Unix ms. */
  readonly since: number;
  /** Up to where the log was read, Unix ms. */
  readonly reached: number;
  /** Deliveries that were queued for it. */
  readonly queued: number;
  /** 1 once all was read, while the end is read again. */
  readonly again: number;
}

interface Row extends LogPlace {
  readonly webhookId: string;
  readonly since: number;
  readonly until: number;
  /** Outcomes after it were not asked for. */
  readonly stop: number;
  /** 1 while the end is read again. */
  readonly again: number;
}

/** The subscriptions that get what they missed from the log of outcomes, in order of occurrence. */
export const catchUps = {
  /**
   * From now on, a subscription gets the outcomes since a time, Unix ms, also while it gets new ones. What it has not got
   * of an earlier time that was asked for still comes.
   */
  async start(
    tx: Tx,
    workspaceId: string,
    webhookId: string,
    since: number,
    { exactly }: { readonly exactly: boolean },
  ): Promise<void> {
    const webhook = await tx.sql.get<{ createdAt: number }>(
      'SELECT created_at AS "createdAt" FROM webhook WHERE workspace_id = ? AND webhook_id = ?',
      [workspaceId, webhookId],
    );
    // What occurred before there was a subscription, it did not miss.
    const from = exactly ? since : Math.max(since - MARGIN_MS, webhook!.createdAt);
    await tx.sql.run(
      `INSERT INTO catch_up (workspace_id, webhook_id, since_at, after_at, after_id, until_at, next_at, queued)
       VALUES (?, ?, ?, ?, '', ?, ?, 0)
       ON CONFLICT (workspace_id, webhook_id) DO UPDATE SET until_at = excluded.until_at, next_at = excluded.next_at, again = 0,
         stop_at = NULL,
         since_at = CASE WHEN catch_up.since_at < excluded.since_at THEN catch_up.since_at ELSE excluded.since_at END,
         after_at = CASE WHEN catch_up.after_at < excluded.after_at THEN catch_up.after_at ELSE excluded.after_at END,
         after_id = CASE WHEN catch_up.after_at < excluded.after_at THEN catch_up.after_id ELSE '' END`,
      [workspaceId, webhookId, from, from, tx.now + MARGIN_MS, tx.now],
    );
    await due.mark(tx, workspaceId, 'catch-up');
    await tx.notify('deliveries');
  },

  /** How far a subscription is; undefined if it does not catch up. While the end is read again, all was read once. */
  get(tx: Tx, workspaceId: string, webhookId: string): Promise<CatchUp | undefined> {
    return tx.sql.get<CatchUp>(
      `SELECT since_at AS since, queued, again,
         CASE WHEN again = 0 THEN after_at WHEN until_at < ? THEN until_at ELSE ? END AS reached
       FROM catch_up WHERE workspace_id = ? AND webhook_id = ?`,
      [tx.now, tx.now, workspaceId, webhookId],
    );
  },

  /** Queues the next outcomes of some subscriptions. Returns when to go on, Unix ms; undefined at the end. */
  async proceed(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const rows = await tx.sql.all<Row>(
      `SELECT c.webhook_id AS "webhookId", c.since_at AS since, c.after_at AS at, c.after_id AS id, c.until_at AS until, c.again,
         COALESCE(c.stop_at, c.until_at) AS stop
       FROM catch_up c JOIN webhook w ON w.workspace_id = c.workspace_id AND w.webhook_id = c.webhook_id
       WHERE c.workspace_id = ? AND w.status = 'active' AND c.next_at <= ? ORDER BY c.next_at, c.webhook_id LIMIT ?`,
      [workspaceId, tx.now, PER_ROUND],
    );
    for (const row of rows) await proceedOne(tx, workspaceId, row);
    const next = await tx.sql.get<{ at: number | null }>(
      `SELECT min(c.next_at) AS at
       FROM catch_up c JOIN webhook w ON w.workspace_id = c.workspace_id AND w.webhook_id = c.webhook_id
       WHERE c.workspace_id = ? AND w.status = 'active'`,
      [workspaceId],
    );
    return next?.at ?? undefined;
  },
};

async function proceedOne(tx: Tx, workspaceId: string, row: Row): Promise<void> {
  const { webhookId, since } = row;
  const key = [workspaceId, webhookId];
  // Locked, so that it is not removed before its deliveries are stored.
  const webhook = await tx.sql.get<{ events: string; filter: string | null; inOrder: number }>(
    `SELECT events, filter, in_order AS "inOrder" FROM webhook WHERE workspace_id = ? AND webhook_id = ? AND status = 'active' ${tx.sql.dialect.forKeyShare}`,
    key,
  );
  if (!webhook) return;
  const move = (place: LogPlace, nextAt: number, queued: number) =>
    tx.sql.run(
      `UPDATE catch_up SET after_at = ?, after_id = ?, next_at = ?, queued = queued + ?
       WHERE workspace_id = ? AND webhook_id = ?`,
      [place.at, place.id, nextAt, queued, ...key],
    );
  if (await manyDue(tx, workspaceId, webhookId)) {
    await move(row, tx.now + PAUSE_MS, 0);
    return;
  }
  const inOrder = webhook.inOrder === 1;
  const until = inOrder ? tx.now + MARGIN_MS : row.until;
  const readPage = () =>
    outcomeLog.page(tx, workspaceId, row, inOrder ? until : Math.min(until, row.stop), PIECE);
  let page = await readPage();
  let live = false;
  if (inOrder && page.length === 0) {
    if (await anyDue(tx, workspaceId, webhookId)) return void (await move(row, tx.now + PAUSE_MS, 0));
    // Waits for transactions that saw it in order: what they logged is read now, and later ones see that it is not.
    await tx.sql.get(
      `SELECT 1 AS one FROM webhook WHERE workspace_id = ? AND webhook_id = ? ${tx.sql.dialect.forUpdate}`,
      key,
    );
    page = await readPage();
    live = page.length === 0;
    if (live)
      await tx.sql.run('UPDATE webhook SET in_order = 0 WHERE workspace_id = ? AND webhook_id = ?', key);
  }
  const kinds: readonly string[] = JSON.parse(webhook.events);
  const missed = page.flatMap(({ kind, occurrence: text }) => {
    if (text === null || !kinds.includes(kind)) return [];
    const occurrence = JSON.parse(text) as LoggedOccurrence;
    return isWanted(webhook.filter, occurrence) ? [{ webhookId, occurrence }] : [];
  });
  const queued = await queueDeliveries(tx, workspaceId, missed, { behind: true });
  if (page.length === PIECE || (inOrder && !live)) await move(page.at(-1)!, tx.now, queued);
  else if (row.again === 0) {
    // Until then, a transaction that did not see the subscription active may commit.
    await move({ at: Math.max(since, until - 2 * MARGIN_MS), id: '' }, Math.max(until + 1, tx.now), queued);
    await tx.sql.run(
      'UPDATE catch_up SET again = 1, until_at = ? WHERE workspace_id = ? AND webhook_id = ?',
      [until, ...key],
    );
  } else await tx.sql.run('DELETE FROM catch_up WHERE workspace_id = ? AND webhook_id = ?', key);
}

/** Whether a delivery of a subscription is due, or is being sent. */
async function anyDue(tx: Tx, workspaceId: string, webhookId: string): Promise<boolean> {
  const row = await tx.sql.get(
    `SELECT 1 AS one FROM delivery WHERE workspace_id = ? AND webhook_id = ? AND due_at IS NOT NULL
       AND (due_at <= ? OR claimed > 0) LIMIT 1`,
    [workspaceId, webhookId, tx.now],
  );
  return row !== undefined;
}

/** Whether so many deliveries of a subscription are due that no more are queued behind them. */
export async function manyDue(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  most = MAX_DUE,
): Promise<boolean> {
  const row = await tx.sql.get<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM delivery WHERE workspace_id = ? AND webhook_id = ? AND due_at <= ?
       LIMIT ?) AS d`,
    [workspaceId, webhookId, tx.now, most + 1],
  );
  return row!.n > most;
}
