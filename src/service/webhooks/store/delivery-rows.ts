import { createHash } from 'node:crypto';
import { due } from '../../platform/store/due.ts';
import { insertRows } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { LoggedOccurrence } from '../rules/occurrence.ts';

/** An outcome and a subscription that is to get it. */
export interface Queued {
  readonly webhookId: string;
  readonly occurrence: LoggedOccurrence;
}

/**
 * Queues deliveries. One that exists stays as it is: a subscription may get an outcome when it occurs and again from the log.
 * `behind`: new deliveries of the subscription are sent first. Returns how many are new.
 */
export async function queueDeliveries(
  tx: Tx,
  workspaceId: string,
  queued: readonly Queued[],
  { behind = false } = {},
): Promise<number> {
  if (queued.length === 0) return 0;
  const added = await insertRows(
    tx,
    `INSERT INTO delivery (workspace_id, delivery_id, webhook_id, kind, body, status, occurred_at, attempts, claim, claimed,
       due_at, behind, trace)`,
    queued.map(({ webhookId, occurrence }) => {
      const { id, kind, occurredAt, trace = null } = occurrence;
      const deliveryId = deliveryIdOf(webhookId, id);
      const body = bodyOf(occurrence, deliveryId);
      const state = ['pending', occurredAt, 0, 0, 0, tx.now, Number(behind)] as const;
      return [workspaceId, deliveryId, webhookId, kind, body, ...state, trace];
    }),
    'ON CONFLICT (workspace_id, delivery_id) DO NOTHING',
  );
  if (added > 0) {
    await due.mark(tx, workspaceId, 'deliveries');
    await tx.notify('deliveries');
  }
  return added;
}

/** The identifier of the delivery of an outcome to a subscription: the same however often it is queued. */
const deliveryIdOf = (webhookId: string, outcomeId: string) =>
  `dlv_${createHash('sha256').update(`${webhookId}/${outcomeId}`).digest('hex').slice(0, 30)}`;

/** The bytes of a delivery (specification: Events; docs/design-choices.md, "Delivery body"). */
function bodyOf(occurrence: LoggedOccurrence, deliveryId: string): string {
  const { kind, decisionId, contentId, hashId, notificationId, goalId, value, details, occurredAt } =
    occurrence;
  return JSON.stringify({
    type: kind,
    decisionId,
    contentId,
    hashId,
    ...(notificationId === undefined ? {} : { notificationId }),
    ...(goalId === undefined ? {} : { goalId, value }),
    ...details,
    deliveryId,
    occurredAt: new Date(occurredAt).toISOString(),
  });
}
