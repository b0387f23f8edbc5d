import type { Tx } from '../../platform/store/store.ts';
import { fanOuts } from './fan-outs.ts';
import { namedKinds } from './named-kinds.ts';

/** New deliveries that have been due for so long are late, in ms, and how often it is told of a subscription. */
const LATE_MS = 60_000;
const LATE_AGAIN_MS = 3_600_000;
const MAX_COUNTED = 10_000;

/** Tells that new deliveries of a subscription are late, if a subscription wants to know. */
export async function tellOfBacklog(tx: Tx, workspaceId: string, webhookId: string): Promise<void> {
  if (!(await namedKinds(tx, workspaceId)).has('backlog.late')) return;
  const row = await tx.sql.get<{ n: number; oldest: number | null }>(
    `SELECT count(*) AS n, min(due_at) AS oldest FROM (SELECT due_at FROM delivery
       WHERE workspace_id = ? AND webhook_id = ? AND due_at <= ? AND behind = 0 ORDER BY due_at LIMIT ?) AS d`,
    [workspaceId, webhookId, tx.now, MAX_COUNTED],
  );
  const oldest = row?.oldest ?? tx.now;
  if (oldest > tx.now - LATE_MS) return;
  const first = await tx.sql.run(
    `UPDATE webhook SET late_at = ? WHERE workspace_id = ? AND webhook_id = ? AND (late_at IS NULL OR late_at <= ?)`,
    [tx.now, workspaceId, webhookId, tx.now - LATE_AGAIN_MS],
  );
  const backlog = { webhookId, pending: Number(row!.n), oldestAt: new Date(oldest).toISOString() };
  if (first > 0) await fanOuts.tell(tx, workspaceId, 'backlog.late', backlog);
}
