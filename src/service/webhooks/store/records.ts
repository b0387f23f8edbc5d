import { listed } from '../../platform/store/listed.ts';
import { conditionsOf, type Page, readPage } from '../../platform/store/pages.ts';
import type { Tx } from '../../platform/store/store.ts';

/** An attempt of a delivery. Times are Unix ms. */
export interface StoredAttempt {
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** The versions of the secrets that signed it. */
  readonly signedBy: readonly number[];
}

/** A delivery with its latest attempts. Times are Unix ms. */
export interface StoredDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly kind: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly occurredAt: number;
  readonly attempts: readonly StoredAttempt[];
  /** Null after the last attempt, and while the subscription is disabled. */
  readonly nextAttemptAt: number | null;
}

/** Which deliveries: of one subscription, in one state, of what happened in a span of time (Unix ms), or one alone. */
interface DeliveryFilter {
  readonly webhookId?: string | undefined;
  readonly deliveryId?: string;
  readonly status?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Deliveries as lists and the console show them. */
export const deliveryRecords = {
  /**
   * A page of the deliveries of a workspace that a filter admits, with their attempts, newest first, after the position
   * `after`. Those of removed subscriptions are left out.
   */
  async list(
    tx: Tx,
    workspaceId: string,
    filter: DeliveryFilter,
    limit: number,
    after?: { readonly at: number; readonly id: string },
  ): Promise<Page<StoredDelivery>> {
    const { text, params } = conditionsOf([
      ['d.delivery_id = ?', filter.deliveryId],
      ['d.webhook_id = ?', filter.webhookId],
      ['d.status = ?', filter.status],
      ['d.occurred_at >= ?', filter.since],
      ['d.occurred_at < ?', filter.until],
      // The first condition is what the index can seek.
      ['d.occurred_at <= ? AND (d.occurred_at < ? OR d.delivery_id > ?)', after?.at, after?.at, after?.id],
    ]);
    const { rows, more } = await readPage<Omit<StoredDelivery, 'attempts'>>(tx, {
      columns: `d.delivery_id AS "deliveryId", d.webhook_id AS "webhookId", d.kind, d.status,
        d.occurred_at AS "occurredAt", (SELECT d.due_at FROM webhook w
          WHERE w.workspace_id = d.workspace_id AND w.webhook_id = d.webhook_id AND w.status = 'active')
          AS "nextAttemptAt"`,
      long: [],
      alongside: `(SELECT COALESCE(sum(128 + COALESCE(octet_length(a.error), 0)), 0) FROM delivery_attempt a
        WHERE a.workspace_id = d.workspace_id AND a.delivery_id = d.delivery_id)`,
      // Not joined, so that the deliveries are read in the order of their index.
      from: `delivery d WHERE d.workspace_id = ?${text} AND EXISTS (SELECT 1 FROM webhook w
        WHERE w.workspace_id = d.workspace_id AND w.webhook_id = d.webhook_id)`,
      params: [workspaceId, ...params],
      order: 'd.occurred_at DESC, d.delivery_id',
      limit,
    });
    if (rows.length === 0) return { rows: [], more };
    const attempts = await deliveryRecords.attemptsOf(
      tx,
      workspaceId,
      rows.map((row) => row.deliveryId),
    );
    return { rows: rows.map((row) => ({ ...row, attempts: attempts.get(row.deliveryId)! })), more };
  },

  /** The latest attempts of each of these deliveries, oldest first. */
  async attemptsOf(
    tx: Tx,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
    const { text, param } = listed(tx.sql.dialect, 'a.delivery_id', ids);
    const attempts = await tx.sql.all<
      Omit<StoredAttempt, 'signedBy'> & { deliveryId: string; signedBy: string }
    >(
      `SELECT a.delivery_id AS "deliveryId", a.at, a.status, a.error,
         a.duration_ms AS "durationMs", a.signed_by AS "signedBy"
       FROM delivery_attempt a WHERE a.workspace_id = ? AND ${text}
       ORDER BY a.delivery_id, a.number`,
      [workspaceId, param],
    );
    const byId = new Map<string, StoredAttempt[]>(ids.map((id) => [id, []]));
    for (const { deliveryId, signedBy, ...attempt } of attempts)
      byId.get(deliveryId)!.push({ ...attempt, signedBy: JSON.parse(signedBy) });
    return byId;
  },

  /** One delivery with its body, the text that is sent; undefined if there is none, or its subscription was removed. */
  async get(
    tx: Tx,
    workspaceId: string,
    deliveryId: string,
  ): Promise<(StoredDelivery & { readonly body: string }) | undefined> {
    const { rows } = await deliveryRecords.list(tx, workspaceId, { deliveryId }, 1);
    const found = await tx.sql.get<{ body: string }>(
      'SELECT body FROM delivery WHERE workspace_id = ? AND delivery_id = ?',
      [workspaceId, deliveryId],
    );
    return rows[0] && found && { ...rows[0], ...found };
  },
};
