import { newId } from '../../../kit/id.ts';
import type { Occurrence } from '../../domain/deliveries/occurrence.ts';
import type { SqlValue, Tx } from '../store.ts';

/** Subscriptions for which deliveries are queued in one transaction. */
const PIECE = 100;

/** Rows of one statement: a piece is cut into these, so that few different statements are prepared. */
const CHUNKS = [20, 5, 1];

/** The last subscription that has its delivery; the next piece goes on behind it. */
interface Place {
  readonly createdAt: number;
  readonly webhookId: string;
}

const START: Place = { createdAt: -1, webhookId: '' };

/** Queues the deliveries of an outcome for all who wait for it, however many. */
export const fanOuts = {
  /**
   * Queues a delivery for each subscription that names the kind, in the caller's transaction, so that an outcome and
   * its deliveries are stored together or not at all. Beyond PIECE of them what is left is noted in the same
   * transaction, and a worker goes on from there. The body is fixed here: every attempt sends these bytes.
   */
  async start(tx: Tx, workspaceId: string, occurrence: Occurrence): Promise<number> {
    const { queued, rest } = await queuePiece(tx, workspaceId, occurrence, START);
    if (rest)
      await tx.sql.run(
        `INSERT INTO fan_out (workspace_id, occurrence, after_created_at, after_webhook_id) VALUES (?, ?, ?, ?)`,
        [workspaceId, JSON.stringify(occurrence), rest.createdAt, rest.webhookId],
      );
    return queued;
  },

  /** Queues the next piece of the oldest outcome that is not through. Returns whether there was one. */
  async continueOldest(tx: Tx): Promise<boolean> {
    const row = await tx.sql.get<{ seq: number; workspaceId: string; occurrence: string } & Place>(
      `SELECT seq, workspace_id AS "workspaceId", occurrence, after_created_at AS "createdAt",
         after_webhook_id AS "webhookId" FROM fan_out ORDER BY seq LIMIT 1 ${tx.sql.dialect.skipLocked}`,
    );
    if (!row) return false;
    const { rest } = await queuePiece(tx, row.workspaceId, JSON.parse(row.occurrence), row);
    if (rest)
      await tx.sql.run('UPDATE fan_out SET after_created_at = ?, after_webhook_id = ? WHERE seq = ?', [
        rest.createdAt,
        rest.webhookId,
        row.seq,
      ]);
    else await tx.sql.run('DELETE FROM fan_out WHERE seq = ?', [row.seq]);
    return true;
  },

  /** True while some outcome is not through. */
  async pending(tx: Tx): Promise<boolean> {
    return (await tx.sql.get('SELECT seq FROM fan_out LIMIT 1')) !== undefined;
  },
};

async function queuePiece(
  tx: Tx,
  workspaceId: string,
  occurrence: Occurrence,
  after: Place,
): Promise<{ queued: number; rest: Place | undefined }> {
  const found = await tx.sql.all<Place>(
    `SELECT w.webhook_id AS "webhookId", w.created_at AS "createdAt" FROM webhook w
     WHERE w.workspace_id = ? AND w.status = 'active' AND (w.lease_until IS NULL OR w.lease_until > ?)
       AND w.events LIKE ? AND (w.created_at, w.webhook_id) > (?, ?)
     ORDER BY w.created_at, w.webhook_id LIMIT ? ${tx.sql.dialect.forKeyShare}`,
    [workspaceId, tx.now, `%"${occurrence.kind}"%`, after.createdAt, after.webhookId, PIECE + 1],
  );
  const wanting = found.slice(0, PIECE);
  let from = 0;
  for (const size of CHUNKS)
    for (; wanting.length - from >= size; from += size) {
      const rows = wanting.slice(from, from + size);
      await tx.sql.run(
        insertOf(size),
        rows.flatMap(({ webhookId }) => rowOf(tx, workspaceId, webhookId, occurrence)),
      );
    }
  if (wanting.length > 0) await tx.notify('deliveries');
  return { queued: wanting.length, rest: found.length > PIECE ? wanting.at(-1) : undefined };
}

function insertOf(rows: number): string {
  const row = `(?, ?, ?, ?, ?, 'pending', ?, 0, 0, 0, ?)`;
  return `INSERT INTO delivery (workspace_id, delivery_id, webhook_id, kind, body, status, occurred_at, attempts,
    claim, in_hand, due_at) VALUES ${Array(rows).fill(row).join(', ')}`;
}

function rowOf(tx: Tx, workspaceId: string, webhookId: string, occurrence: Occurrence): SqlValue[] {
  const deliveryId = newId('dlv');
  const { kind, occurredAt } = occurrence;
  return [workspaceId, deliveryId, webhookId, kind, bodyOf(occurrence, deliveryId), occurredAt, tx.now];
}

/** The bytes of a delivery (specification: Events; docs/decisions.md, "Delivery body"). */
function bodyOf(occurrence: Occurrence, deliveryId: string): string {
  const { kind, decisionId, contentId, hashId, notificationId, occurredAt } = occurrence;
  return JSON.stringify({
    type: kind,
    decisionId,
    contentId,
    hashId,
    ...(notificationId === undefined ? {} : { notificationId }),
    deliveryId,
    occurredAt: new Date(occurredAt).toISOString(),
  });
}
