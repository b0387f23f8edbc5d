import type { Tx } from '../store/store.ts';

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
