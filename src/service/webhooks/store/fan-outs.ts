import { newId } from '../../../kit/id.ts';
import { due } from '../../platform/store/due.ts';
import { insertRows } from '../../platform/store/rows.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';
import type { Occurrence } from '../rules/occurrence.ts';

/** Subscriptions for which one transaction queues deliveries. */
const BATCH = 100;

/** The last subscription that has its delivery. The next batch continues after it. */
interface Cursor {
  readonly createdAt: number;
  readonly webhookId: string;
}

const START: Cursor = { createdAt: -1, webhookId: '' };

/** Queues the deliveries of an occurrence for all its subscriptions, in batches. */
export const fanOuts = {
  /**
   * Queues a delivery for each subscription to the event, in the caller's transaction, so that an outcome and its
   * deliveries are stored together or not at all. With more than BATCH subscriptions, the position is stored in the
   * same transaction and a worker continues from there. The body is fixed here: every attempt sends the same bytes.
   * Returns the number of queued deliveries.
   */
  async start(tx: Tx, workspaceId: string, occurrence: Occurrence): Promise<number> {
    const { queued, rest } = await queueBatch(tx, workspaceId, occurrence, START);
    if (rest) {
      await tx.sql.run(
        `INSERT INTO fan_out (workspace_id, fan_out_id, occurrence, after_created_at, after_webhook_id)
         VALUES (?, ?, ?, ?, ?)`,
        [workspaceId, newId('fan'), JSON.stringify(occurrence), rest.createdAt, rest.webhookId],
      );
      await due.mark(tx, workspaceId, 'fan-out');
    }
    return queued;
  },

  /** True if a subscription of the workspace names a kind. */
  async wanted(tx: Tx, workspaceId: string, kind: string): Promise<boolean> {
    const row = await tx.sql.get(
      `SELECT 1 AS one FROM webhook WHERE workspace_id = ? AND status = 'active' AND events LIKE ? LIMIT 1`,
      [workspaceId, `%"${kind}"%`],
    );
    return row !== undefined;
  },

  /** Queues the next batch of an unfinished fan-out. Returns whether there was one that no other node continues. */
  async proceed(tx: Tx, workspaceId: string): Promise<boolean> {
    const row = await tx.sql.get<{ id: string; occurrence: string } & Cursor>(
      `SELECT fan_out_id AS id, occurrence, after_created_at AS "createdAt", after_webhook_id AS "webhookId"
       FROM fan_out WHERE workspace_id = ? ORDER BY fan_out_id LIMIT 1 ${tx.sql.dialect.skipLocked}`,
      [workspaceId],
    );
    if (!row) return false;
    const { rest } = await queueBatch(tx, workspaceId, JSON.parse(row.occurrence), row);
    if (rest)
      await tx.sql.run(
        `UPDATE fan_out SET after_created_at = ?, after_webhook_id = ? WHERE workspace_id = ? AND fan_out_id = ?`,
        [rest.createdAt, rest.webhookId, workspaceId, row.id],
      );
    else
      await tx.sql.run('DELETE FROM fan_out WHERE workspace_id = ? AND fan_out_id = ?', [
        workspaceId,
        row.id,
      ]);
    return true;
  },

  /** True while a fan-out of the workspace is unfinished. */
  async pending(tx: Tx, workspaceId: string): Promise<boolean> {
    const sql = 'SELECT 1 AS one FROM fan_out WHERE workspace_id = ? LIMIT 1';
    return (await tx.sql.get(sql, [workspaceId])) !== undefined;
  },
};

async function queueBatch(
  tx: Tx,
  workspaceId: string,
  occurrence: Occurrence,
  after: Cursor,
): Promise<{ queued: number; rest: Cursor | undefined }> {
  const found = await tx.sql.all<Cursor>(
    `SELECT w.webhook_id AS "webhookId", w.created_at AS "createdAt" FROM webhook w
     WHERE w.workspace_id = ? AND w.status = 'active' AND (w.lease_until IS NULL OR w.lease_until > ?)
       AND w.events LIKE ? AND (w.created_at, w.webhook_id) > (?, ?)
     ORDER BY w.created_at, w.webhook_id LIMIT ? ${tx.sql.dialect.forKeyShare}`,
    [workspaceId, tx.now, `%"${occurrence.kind}"%`, after.createdAt, after.webhookId, BATCH + 1],
  );
  const batch = found.slice(0, BATCH);
  await insertRows(
    tx,
    `INSERT INTO delivery (workspace_id, delivery_id, webhook_id, kind, body, status, occurred_at, attempts, claim, claimed,
       due_at, trace)`,
    batch.map(({ webhookId }) => rowOf(tx, workspaceId, webhookId, occurrence)),
  );
  if (batch.length > 0) {
    await due.mark(tx, workspaceId, 'deliveries');
    await tx.notify('deliveries');
  }
  return { queued: batch.length, rest: found.length > BATCH ? batch.at(-1) : undefined };
}

function rowOf(tx: Tx, workspaceId: string, webhookId: string, occurrence: Occurrence): SqlValue[] {
  const deliveryId = newId('dlv');
  const { kind, occurredAt, trace = null } = occurrence;
  const body = bodyOf(occurrence, deliveryId);
  return [workspaceId, deliveryId, webhookId, kind, body, 'pending', occurredAt, 0, 0, 0, tx.now, trace];
}

/** The bytes of a delivery (specification: Events; docs/design-choices.md, "Delivery body"). */
function bodyOf(occurrence: Occurrence, deliveryId: string): string {
  const { kind, decisionId, contentId, hashId, notificationId, goalId, value, occurredAt } = occurrence;
  return JSON.stringify({
    type: kind,
    decisionId,
    contentId,
    hashId,
    ...(notificationId === undefined ? {} : { notificationId }),
    ...(goalId === undefined ? {} : { goalId, value }),
    deliveryId,
    occurredAt: new Date(occurredAt).toISOString(),
  });
}
