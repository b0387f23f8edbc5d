import type { EventKind } from '../../../contract/event-kind-names.ts';
import { isTap } from '../../../contract/event-kinds.ts';
import { newId } from '../../../kit/id.ts';
import { due } from '../../platform/store/due.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { Details, LoggedOccurrence, Occurrence } from '../rules/occurrence.ts';
import { queueDeliveries } from './delivery-rows.ts';
import { namedKinds } from './named-kinds.ts';
import { outcomeLog } from './outcome-log.ts';
import { isWanted } from './stored-filters.ts';

/** Subscriptions for which one transaction queues deliveries. */
const BATCH = 100;

/** The last subscription that has its delivery. The next batch continues after it. */
interface Cursor {
  readonly createdAt: number;
  readonly webhookId: string;
}

const START: Cursor = { createdAt: -1, webhookId: '' };

/** The kinds of events that are about a workspace. */
type OperatorKind = Extract<
  EventKind,
  `subscription.${string}` | `delivery.${string}` | `provider.${string}` | `backlog.${string}`
>;

/** Queues the deliveries of an occurrence for all its subscriptions, in batches. */
export const fanOuts = {
  /**
   * Logs an occurrence and queues a delivery for each subscription to it, in the caller's transaction, so that what occurred and
   * its deliveries are stored together or not at all. Of kinds other than taps, only those that a subscription names. With more than BATCH subscriptions, the position is stored in the
   * same transaction and a worker continues from there. The body is fixed here: every attempt sends the same bytes.
   * Returns the number of queued deliveries.
   */
  async start(tx: Tx, workspaceId: string, occurred: Occurrence): Promise<number> {
    if (!isTap(occurred.kind) && !(await namedKinds(tx, workspaceId)).has(occurred.kind)) return 0;
    const occurrence = { ...occurred, id: newId('out') };
    const [{ queued, rest }] = await pipeline([
      queueBatch(tx, workspaceId, occurrence, START),
      outcomeLog.add(tx, workspaceId, occurrence),
    ]);
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

  /** The same for what is about the workspace and about no user. */
  tell: (tx: Tx, workspaceId: string, kind: OperatorKind, details: Details): Promise<number> =>
    fanOuts.start(tx, workspaceId, {
      ...{ kind, decisionId: '', contentId: '', hashId: '', details, occurredAt: tx.now },
      ...(details.channel !== undefined && { about: { channel: details.channel } }),
    }),

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
  occurrence: LoggedOccurrence,
  after: Cursor,
): Promise<{ queued: number; rest: Cursor | undefined }> {
  const found = await tx.sql.all<Cursor & { filter: string | null; inOrder: number }>(
    `SELECT w.webhook_id AS "webhookId", w.created_at AS "createdAt", w.filter, w.in_order AS "inOrder" FROM webhook w
     WHERE w.workspace_id = ? AND w.status = 'active' AND (w.lease_until IS NULL OR w.lease_until > ?)
       AND w.events LIKE ? AND (w.created_at, w.webhook_id) > (?, ?)
     ORDER BY w.created_at, w.webhook_id LIMIT ? ${tx.sql.dialect.forKeyShare}`,
    [workspaceId, tx.now, `%"${occurrence.kind}"%`, after.createdAt, after.webhookId, BATCH + 1],
  );
  const batch = found.slice(0, BATCH);
  const queued = await queueDeliveries(
    tx,
    workspaceId,
    // One that catches up in order finds it in the log.
    batch.flatMap(({ webhookId, filter, inOrder }) =>
      inOrder === 0 && isWanted(filter, occurrence) ? [{ webhookId, occurrence }] : [],
    ),
  );
  return { queued, rest: found.length > BATCH ? batch.at(-1) : undefined };
}
