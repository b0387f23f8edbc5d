import type { Tx } from '../../platform/store/store.ts';

/** Retention of finished deliveries, which can be inspected and redelivered. */
export const DELIVERIES_KEPT_MS = 30 * 24 * 3600 * 1000;

/** The deletion of deliveries that are no longer kept, in pieces. */
export const purgeDeliveries = {
  /** Deletes up to `limit` deliveries of deleted subscriptions. Returns how many, and counts each subscription as one. */
  async dropped(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    let left = limit;
    while (left > 0) {
      const dropped = await tx.sql.get<{ id: string }>(
        `SELECT webhook_id AS id FROM dropped_webhook WHERE workspace_id = ? ORDER BY webhook_id LIMIT 1
         ${tx.sql.dialect.skipLocked}`,
        [workspaceId],
      );
      if (!dropped) break;
      const found = await tx.sql.all<{ id: string }>(
        `SELECT delivery_id AS id FROM delivery WHERE workspace_id = ? AND webhook_id = ? LIMIT ?
         ${tx.sql.dialect.skipLocked}`,
        [workspaceId, dropped.id, left],
      );
      await remove(tx, workspaceId, found);
      left -= Math.min(left, found.length + 1);
      if (left === 0) break;
      // Locked deliveries are deleted in a later round.
      const key = [workspaceId, dropped.id];
      if (await tx.sql.get('SELECT 1 FROM delivery WHERE workspace_id = ? AND webhook_id = ? LIMIT 1', key))
        break;
      await tx.sql.run('DELETE FROM dropped_webhook WHERE workspace_id = ? AND webhook_id = ?', key);
    }
    return limit - left;
  },

  /** Deletes up to `limit` finished deliveries past their retention. Returns how many. */
  async finished(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    const old = await tx.sql.all<{ id: string }>(
      `SELECT delivery_id AS id FROM delivery WHERE workspace_id = ? AND due_at IS NULL AND occurred_at <= ? LIMIT ?
       ${tx.sql.dialect.skipLocked}`,
      [workspaceId, tx.now - DELIVERIES_KEPT_MS, limit],
    );
    await remove(tx, workspaceId, old);
    return old.length;
  },
};

/** Deletes deliveries that this transaction has locked, and their attempts. */
async function remove(
  tx: Tx,
  workspaceId: string,
  deliveries: readonly { readonly id: string }[],
): Promise<void> {
  for (const { id } of deliveries) {
    const key = [workspaceId, id];
    await tx.sql.run('DELETE FROM delivery_attempt WHERE workspace_id = ? AND delivery_id = ?', key);
    await tx.sql.run('DELETE FROM delivery WHERE workspace_id = ? AND delivery_id = ?', key);
  }
}
