import { due } from '../../platform/store/due.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import { rowsQuery } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import { DELIVERED, isSuccess, judge, type Verdict } from '../rules/attempt.ts';
import { addAttempts, beginOf, type Ended, type EndedAttempt, NEW_SERIES_IF_ENDED } from './attempts.ts';
import { tellOfBacklog } from './backlog.ts';
import { type ClaimedDelivery, deliveryClaims } from './claims.ts';
import { fanOuts } from './fan-outs.ts';
import { BURST_MS, pace } from './pace.ts';
import { webhooks } from './webhooks.ts';

/** A subscription with due deliveries. */
export interface DueSubscription {
  readonly webhookId: string;
  readonly url: string;
  readonly failing: boolean;
}

type TakenRow = Pick<ClaimedDelivery, 'deliveryId' | 'body' | 'claim' | 'trace'> & {
  readonly occurredAt: number;
};

/** The most pending deliveries that are counted. */
const MAX_COUNTED = 10_000;
/** The most of each subscription where those of many are counted. */
const MAX_COUNTED_OF_MANY = 1000;

const OPEN = "w.status = 'active' AND (w.lease_until IS NULL OR w.lease_until > ?)";

export const deliveries = {
  /** Up to `limit` subscriptions of a workspace with due deliveries, ordered by identifier, after `after`. */
  async dueSubscriptions(
    tx: Tx,
    workspaceId: string,
    after: string,
    limit: number,
  ): Promise<DueSubscription[]> {
    const rows = await tx.sql.all<{ webhookId: string; url: string; failing: number }>(
      `SELECT w.webhook_id AS "webhookId", w.url, CASE WHEN w.failing_since IS NULL THEN 0 ELSE 1 END AS failing
       FROM webhook w WHERE w.workspace_id = ? AND ${OPEN} AND w.webhook_id > ?
       AND (w.max_rate IS NULL OR w.paced_until IS NULL OR w.paced_until + 1000 / w.max_rate <= ?)
       AND EXISTS (SELECT 1 FROM delivery d
         WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.webhook_id AND d.due_at <= ?)
       ORDER BY w.webhook_id LIMIT ?`,
      [workspaceId, tx.now, after, tx.now + BURST_MS, tx.now, limit],
    );
    return rows.map(({ failing, ...subscription }) => ({ ...subscription, failing: failing === 1 }));
  },

  /** When the next delivery of a workspace is due, Unix ms; undefined if none is pending. */
  async nextDue(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number | null }>(
      `SELECT min(due_at) AS at FROM (
         SELECT (SELECT min(d.due_at) FROM delivery d WHERE d.workspace_id = w.workspace_id
           AND d.webhook_id = w.webhook_id AND d.due_at IS NOT NULL) AS due_at
         FROM webhook w WHERE w.workspace_id = ? AND ${OPEN}) AS n`,
      [workspaceId, tx.now],
    );
    return row?.at ?? undefined;
  },

  /** How many deliveries of a subscription wait for an attempt, counted up to MAX_COUNTED. */
  async countPending(tx: Tx, workspaceId: string, webhookId: string): Promise<number> {
    const row = await tx.sql.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM delivery WHERE workspace_id = ? AND webhook_id = ?
         AND due_at IS NOT NULL LIMIT ?) AS d`,
      [workspaceId, webhookId, MAX_COUNTED],
    );
    return Number(row!.n);
  },

  /** How many deliveries of each subscription wait for an attempt, counted up to MAX_COUNTED_OF_MANY, by identifier. */
  async countPendingOf(
    tx: Tx,
    workspaceId: string,
    webhookIds: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    if (webhookIds.length === 0) return new Map();
    const { text, param } = rowsQuery(
      tx.sql.dialect,
      webhookIds.map((id) => [id]),
    );
    const rows = await tx.sql.all<{ id: string; n: number }>(
      `SELECT v.c0 AS id, (SELECT count(*) FROM (SELECT 1 FROM delivery d WHERE d.workspace_id = ? AND d.webhook_id = v.c0
         AND d.due_at IS NOT NULL LIMIT ?) AS o) AS n FROM (${text}) AS v`,
      [workspaceId, MAX_COUNTED_OF_MANY, param],
    );
    return new Map(rows.map(({ id, n }) => [id, Number(n)]));
  },

  /** Claims up to `limit` due deliveries of a subscription for `leaseMs`, longest due first. */
  async claim(
    tx: Tx,
    workspaceId: string,
    webhookId: string,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    const webhook = await tx.sql.get<
      Pick<ClaimedDelivery, 'url' | 'secret' | 'headers' | 'previousSecret'> & {
        previousUntil: number | null;
        version: number;
        maxRate: number | null;
      }
    >(
      `SELECT w.url, w.secret, w.headers, w.previous_secret AS "previousSecret", w.previous_until AS "previousUntil",
         w.secret_version AS version, w.max_rate AS "maxRate"
       FROM webhook w WHERE w.workspace_id = ? AND w.webhook_id = ? AND ${OPEN}`,
      [workspaceId, webhookId, tx.now],
    );
    if (!webhook) return [];
    await tellOfBacklog(tx, workspaceId, webhookId);
    const { previousUntil, version, maxRate, ...target } = webhook;
    const paced = maxRate === null ? undefined : await pace.until(tx, workspaceId, webhookId);
    const most = maxRate === null ? limit : Math.min(limit, pace.room(maxRate, paced!, tx.now));
    const rotating = previousUntil !== null && previousUntil > tx.now;
    const rows: TakenRow[] = [];
    // New ones first. Those behind them go in order of occurrence.
    for (const behind of [0, 1])
      if (rows.length < most)
        rows.push(
          ...(
            await deliveryClaims.take<TakenRow>(
              tx,
              workspaceId,
              {
                where: 'webhook_id = ? AND behind = ?',
                params: [webhookId, behind],
                order: 'due_at, occurred_at, delivery_id',
                limit: most - rows.length,
                leaseMs,
              },
              'delivery_id AS "deliveryId", body, claim, trace, occurred_at AS "occurredAt"',
            )
          ).sort((a, b) => a.occurredAt - b.occurredAt),
        );
    if (maxRate !== null && rows.length > 0)
      await pace.advance(
        tx,
        workspaceId,
        webhookId,
        Math.max(paced!, tx.now) + (rows.length * 1000) / maxRate,
      );
    return rows.map(({ occurredAt: _, ...row }) => ({
      ...row,
      ...target,
      workspaceId,
      webhookId,
      previousSecret: rotating ? target.previousSecret : null,
      signedBy: rotating ? [version, version - 1] : [version],
    }));
  },

  /**
   * Stores the result of an attempt and its consequences. Does nothing if the result is already stored, or if another
   * worker has claimed the delivery since, or if it was deleted. Times are in ms; `random` is in [0, 1).
   */
  async finish(
    tx: Tx,
    claimed: ClaimedDelivery,
    attempt: EndedAttempt,
    random: number,
  ): Promise<Verdict | undefined> {
    if (isSuccess(attempt.status))
      return (await deliveries.succeed(tx, [{ claimed, attempt }])) === 0 ? undefined : DELIVERED;
    const { workspaceId, webhookId, deliveryId, claim } = claimed;
    const webhookRead = tx.sql.get<{ failingSince: number | null }>(
      `SELECT failing_since AS "failingSince" FROM webhook WHERE workspace_id = ? AND webhook_id = ? ${tx.sql.dialect.forKeyShare}`,
      [workspaceId, webhookId],
    );
    const deliveryRead = tx.sql.get<{
      attempts: number;
      firstAttemptAt: number | null;
      kind: string;
      asked: number;
    }>(
      `SELECT kind, attempts, first_attempt_at AS "firstAttemptAt", asked FROM delivery
       WHERE workspace_id = ? AND delivery_id = ? AND claim = ? AND claimed > 0 ${tx.sql.dialect.forUpdate}`,
      [workspaceId, deliveryId, claim],
    );
    // The subscription is locked before its deliveries, as when it is deleted; the delivery, so that it is not asked for
    // between this and the result.
    const [webhook, delivery] = await pipeline([webhookRead, deliveryRead]);
    if (!webhook || !delivery) return undefined;
    const before = { ...delivery, ...webhook };
    const judged = judge(before, attempt, random);
    // A receiver that is gone gets nothing more.
    const isAsked = before.asked === 1 && attempt.status !== 410;
    /** The series ends, and what was asked for begins another. */
    const isNewSeries = isAsked && judged.delivery === 'failed';
    const verdict: Verdict =
      isAsked && judged.delivery !== 'delivered'
        ? { ...judged, delivery: 'pending', nextAttemptAt: tx.now }
        : judged;
    if (verdict.failingSince !== before.failingSince)
      await tx.sql.run('UPDATE webhook SET failing_since = ? WHERE workspace_id = ? AND webhook_id = ?', [
        verdict.failingSince,
        workspaceId,
        webhookId,
      ]);
    const disabled =
      verdict.disable !== null && (await webhooks.disable(tx, workspaceId, webhookId, verdict.disable));
    // Two dead subscriptions would tell each other for ever.
    if (verdict.delivery === 'failed' && before.kind !== 'delivery.exhausted')
      await fanOuts.tell(tx, workspaceId, 'delivery.exhausted', {
        ...{ webhookId, failedDeliveryId: deliveryId },
        reason: attempt.status === null ? (attempt.error ?? 'no answer') : `HTTP ${attempt.status}`,
      });
    const nextAt = verdict.delivery === 'pending' ? verdict.nextAttemptAt : null;
    await deliveryClaims.store(tx, claimed, {
      status: verdict.delivery,
      attempts: isNewSeries ? 0 : before.attempts + 1,
      first_attempt_at: isNewSeries ? null : (before.firstAttemptAt ?? beginOf(attempt)),
      claimed: 0,
      asked: 0,
      due_at: nextAt,
      // A retry is sent when it is due, as any other.
      behind: 0,
    });
    if (nextAt !== null) await due.mark(tx, workspaceId, 'deliveries', nextAt);
    await addAttempts(tx, [{ claimed, attempt }]);
    // Of several that were being sent, the first disables it.
    return disabled ? verdict : { ...verdict, disable: null };
  },

  /**
   * Stores the results of successful attempts of one subscription, like `finish`: together, because they cost more one by one
   * than to send. Returns how many were stored.
   */
  async succeed(tx: Tx, ended: readonly Ended[]): Promise<number> {
    const { workspaceId, webhookId } = ended[0]!.claimed;
    // Locked before its deliveries, as when it is deleted.
    const webhook = await tx.sql.get<{ failingSince: number | null }>(
      `SELECT failing_since AS "failingSince" FROM webhook WHERE workspace_id = ? AND webhook_id = ? ${tx.sql.dialect.forKeyShare}`,
      [workspaceId, webhookId],
    );
    if (!webhook) return 0;
    if (webhook.failingSince !== null)
      await tx.sql.run('UPDATE webhook SET failing_since = NULL WHERE workspace_id = ? AND webhook_id = ?', [
        workspaceId,
        webhookId,
      ]);
    const rows = ended.map(({ claimed: { deliveryId, claim }, attempt }) => [
      deliveryId,
      claim,
      beginOf(attempt),
    ]);
    const { text, param } = rowsQuery(tx.sql.dialect, rows);
    const stored = await tx.sql.all<{ id: string }>(
      `WITH v AS MATERIALIZED (${text})
       UPDATE delivery SET status = 'delivered', attempts = attempts + 1, claimed = 0, asked = 0, due_at = NULL, behind = 0,
         first_attempt_at = COALESCE(first_attempt_at, CAST(v.c2 AS bigint))
       FROM v WHERE workspace_id = ? AND delivery_id = v.c0 AND claim = CAST(v.c1 AS bigint) AND claimed > 0
       RETURNING delivery_id AS id`,
      [param, workspaceId],
    );
    const ids = new Set(stored.map(({ id }) => id));
    await addAttempts(
      tx,
      ended.filter(({ claimed }) => ids.has(claimed.deliveryId)),
    );
    return ids.size;
  },

  /**
   * Makes a delivery due now, with a new series of attempts if the last one has ended. A claimed delivery stays with
   * its worker, and is due again at once if that attempt fails. Returns false if there is no such delivery.
   */
  async redeliver(tx: Tx, workspaceId: string, webhookId: string, deliveryId: string): Promise<boolean> {
    const changed = await tx.sql.run(
      `UPDATE delivery SET
         ${NEW_SERIES_IF_ENDED},
         due_at = CASE WHEN claimed > 0 THEN due_at ELSE ? END,
         asked = CASE WHEN claimed > 0 THEN 1 ELSE 0 END,
         behind = 0,
         status = 'pending'
       WHERE workspace_id = ? AND webhook_id = ? AND delivery_id = ?`,
      [tx.now, workspaceId, webhookId, deliveryId],
    );
    if (changed > 0) {
      await due.mark(tx, workspaceId, 'deliveries');
      await tx.notify('deliveries');
    }
    return changed > 0;
  },
};
