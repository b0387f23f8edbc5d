import type { Clock } from '../../contract/schemas.ts';
import type { Cutoffs } from '../platform/store/retained-logs.ts';
import type { Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';

/** Counts what becomes due until a time, Unix ms, in all workspaces that are not frozen, whose logs end at `cutoffs` then. */
export async function dueUntil(tx: Tx, until: number, cutoffs: Cutoffs): Promise<NonNullable<Clock['due']>> {
  const all = (await workspaces.list(tx)).filter(({ frozenAt }) => frozenAt === null);
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
    deliveries: await deliveriesUntil(tx, all, until),
    messages: await count('message', 'withdraw_at', until),
    removed: {
      events: await count('event', 'received_at', before(cutoffs.events)),
      decisions: await count('decision', 'at_ms', before(cutoffs.decisions)),
      notifications: await count('notification', 'created_at', before(cutoffs.notifications)),
    },
  };
}

/** Counts the deliveries that become due until a time. Those of subscriptions that are disabled are held. */
async function deliveriesUntil(
  tx: Tx,
  all: readonly { readonly id: string }[],
  until: number,
): Promise<number> {
  let sum = 0;
  for (const { id } of all) {
    const row = await tx.sql.get<{ n: number }>(
      `SELECT count(*) AS n FROM delivery d
       JOIN webhook w ON w.workspace_id = d.workspace_id AND w.webhook_id = d.webhook_id AND w.status = 'active'
       WHERE d.workspace_id = ? AND d.due_at <= ?`,
      [id, until],
    );
    sum += row!.n;
  }
  return sum;
}
