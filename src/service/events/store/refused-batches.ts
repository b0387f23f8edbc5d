import { insertRows, olderThan } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';

const HOUR_MS = 3_600_000;
/** How long counts are kept: as long as those of contents by day. */
const KEPT_MS = 400 * 24 * HOUR_MS;

/** Requests with events that were refused, by hour. */
export const refusedBatches = {
  /** Adds requests that were refused in the hour of the transaction. */
  async add(tx: Tx, workspaceId: string, n: number): Promise<void> {
    await insertRows(
      tx,
      'INSERT INTO refused_batch (workspace_id, bucket, n)',
      [[workspaceId, tx.now - (tx.now % HOUR_MS), n]],
      'ON CONFLICT (workspace_id, bucket) DO UPDATE SET n = refused_batch.n + excluded.n',
    );
  },

  /** The counts of a range, by the beginning of the hour. */
  async between(
    tx: Tx,
    workspaceId: string,
    from: number,
    until: number,
  ): Promise<{ readonly at: number; readonly n: number }[]> {
    const rows = await tx.sql.all<{ at: number; n: number }>(
      'SELECT bucket AS at, n FROM refused_batch WHERE workspace_id = ? AND bucket >= ? AND bucket < ?',
      [workspaceId, from, until],
    );
    return rows.map(({ at, n }) => ({ at: Number(at), n: Number(n) }));
  },

  /** Deletes up to `limit` counts that are no longer kept; returns how many. */
  purge: olderThan('refused_batch', 'bucket', 'bucket', KEPT_MS),
};
