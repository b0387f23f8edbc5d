import { due } from '../platform/store/due.ts';
import type { Tx, Workers } from '../platform/store/store.ts';

/** The due work of one kind. */
export interface Backlog {
  readonly kind: 'deliveries' | 'notifications';
  /** Rows that are due, counted up to `MAX_COUNTED`. */
  readonly due: number;
  /** How long the oldest of them has been due, in ms. */
  readonly oldestMs: number;
}

const MAX_COUNTED = 10_000;
/** Workspaces whose rows are counted. */
const MAX_WORKSPACES = 100;

/** How many subscriptions of all workspaces are disabled, counted up to MAX_COUNTED. */
export async function countDisabled(tx: Tx): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 AS one FROM webhook
       WHERE workspace_id IN (SELECT workspace_id FROM workspace) AND status = 'disabled' LIMIT ?) AS d`,
    [MAX_COUNTED],
  );
  return Number(row!.n);
}

/** Reads how much work is due for the workers of all nodes, in the workspaces that are not out. */
export async function readBacklog(tx: Tx, workers: Workers | undefined): Promise<Backlog[]> {
  return [
    await backlogOf(tx, workers, 'deliveries', 'delivery'),
    await backlogOf(tx, workers, 'notifications', 'notification'),
  ];
}

/** How many rows of a workspace wait for a retry or a time, counted up to MAX_COUNTED. Those that are being sent do not wait. */
export async function countLater(tx: Tx, workspaceId: string, kind: Backlog['kind']): Promise<number> {
  const own = [workspaceId, tx.now];
  const row =
    kind === 'notifications'
      ? await tx.sql.get<{ n: number }>(
          `SELECT count(*) AS n FROM (SELECT 1 AS one FROM notification
             WHERE workspace_id = ? AND due_at > ? AND claimed = 0 LIMIT ?) AS l`,
          [...own, MAX_COUNTED],
        )
      : await tx.sql.get<{ n: number }>(
          `SELECT count(*) AS n FROM (SELECT 1 AS one FROM delivery
             WHERE workspace_id = ? AND due_at > ? AND claimed = 0 AND webhook_id IN
               (SELECT webhook_id FROM webhook WHERE workspace_id = ? AND status = 'active') LIMIT ?) AS l`,
          [...own, workspaceId, MAX_COUNTED],
        );
  return Number(row!.n);
}

async function backlogOf(
  tx: Tx,
  workers: Workers | undefined,
  kind: Backlog['kind'],
  table: 'delivery' | 'notification',
): Promise<Backlog> {
  let counted = 0;
  let oldest = tx.now;
  const { found } = await due.page(tx, workers, kind, '', MAX_WORKSPACES);
  for (const workspaceId of found) {
    const row = await tx.sql.get<{ due: number; oldest: number | null }>(
      `SELECT count(*) AS due, min(due_at) AS oldest FROM
         (SELECT due_at FROM ${table} WHERE workspace_id = ? AND due_at <= ? LIMIT ?) AS d`,
      [workspaceId, tx.now, MAX_COUNTED - counted],
    );
    counted += row!.due;
    oldest = Math.min(oldest, row!.oldest ?? oldest);
    if (counted >= MAX_COUNTED) break;
  }
  return { kind, due: counted, oldestMs: tx.now - oldest };
}
