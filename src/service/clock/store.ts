import type { Clock } from '../../contract/schemas.ts';
import type { Cutoffs } from '../platform/store/retained-logs.ts';
import type { Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';

/** Whether a process sends a notification or a delivery of a workspace, which no other may take over. */
export async function anyClaimed(tx: Tx, workspaceId: string): Promise<boolean> {
  for (const table of ['notification', 'delivery']) {
    const row = await tx.sql.get(
      `SELECT 1 AS one FROM ${table} WHERE workspace_id = ? AND claimed > 0 AND due_at > ? LIMIT 1`,
      [workspaceId, tx.now],
    );
    if (row) return true;
  }
  return false;
}

/** Counts what becomes due until a time, Unix ms, in all workspaces, whose logs end at `cutoffs` then. */
export async function dueUntil(tx: Tx, until: number, cutoffs: Cutoffs): Promise<NonNullable<Clock['due']>> {
  const all = await workspaces.list(tx);
  const count = async (table: string, column: string, most: number | null): Promise<number> => {
    let sum = 0;
    for (const { id } of most === null ? [] : all) {
      const row = await tx.sql.get<{ n: number }>(
        `SELECT count(*) AS n FROM ${table} WHERE workspace_id = ? AND ${column} <= ?`,
        [id, most],
      );
      sum += row!.n;
    }
    return sum;
  };
  const before = (cutoff: number | null) => (cutoff === null ? null : cutoff - 1);
  return {
    notifications: await count('notification', 'due_at', until),
    deliveries: await count('delivery', 'due_at', until),
    messages: await count('message', 'withdraw_at', until),
    removed: {
      events: await count('event', 'received_at', before(cutoffs.events)),
      decisions: await count('decision', 'at_ms', before(cutoffs.decisions)),
      notifications: await count('notification', 'created_at', before(cutoffs.notifications)),
    },
  };
}
