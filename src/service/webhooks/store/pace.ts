import type { Tx } from '../../platform/store/store.ts';

/** A subscription with a rate gets at most so many ms of it at once: more than a worker waits between two looks. */
export const BURST_MS = 1000;

/** How far the deliveries of a subscription with a rate (`max_rate`) have been claimed. */
export const pace = {
  /** Until when those that were claimed last take, Unix ms. Locks the subscription. */
  async until(tx: Tx, workspaceId: string, webhookId: string): Promise<number> {
    const row = await tx.sql.get<{ until: number | null }>(
      `SELECT paced_until AS until FROM webhook WHERE workspace_id = ? AND webhook_id = ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, webhookId],
    );
    return row?.until ?? 0;
  },

  /** How many a rate (per second) leaves room for now. */
  room: (maxRate: number, until: number, now: number): number =>
    Math.max(0, Math.floor(((now + BURST_MS - Math.max(until, now)) * maxRate) / 1000)),

  /** Stores until when those that are claimed now take, Unix ms. */
  async advance(tx: Tx, workspaceId: string, webhookId: string, until: number): Promise<void> {
    await tx.sql.run('UPDATE webhook SET paced_until = ? WHERE workspace_id = ? AND webhook_id = ?', [
      Math.ceil(until),
      workspaceId,
      webhookId,
    ]);
  },
};
