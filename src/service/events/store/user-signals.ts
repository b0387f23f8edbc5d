import { listed } from '../../platform/store/listed.ts';
import type { Cutoffs } from '../../platform/store/retained-logs.ts';
import { deleteSome, insertRows } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';

export interface SignalChange {
  readonly workspaceId: string;
  readonly userId: string;
  readonly event: string;
  readonly count: number;
  /** Unix ms. */
  readonly last: number;
}

/** A count starts again after so long without the event, and is forgotten. */
const LASTING_MS = 90 * 86_400_000;

/** Most events of one user that are read. */
const MAX_EVENT_NAMES = 16;

/** How often the frequent events happened to each user. */
export const userSignals = {
  async add(tx: Tx, changes: readonly SignalChange[]): Promise<void> {
    // In the order of the key, so that two nodes never wait for each other in a circle.
    const keyOf = (change: SignalChange) => `${change.workspaceId}\n${change.userId}\n${change.event}`;
    const sorted = [...changes].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    await insertRows(
      tx,
      'INSERT INTO user_signal (workspace_id, user_id, event, count, last_ms)',
      sorted.map(({ workspaceId, userId, event, count, last }) => [workspaceId, userId, event, count, last]),
      `ON CONFLICT (workspace_id, user_id, event) DO UPDATE SET
         count = CASE WHEN excluded.last_ms - user_signal.last_ms > ${LASTING_MS} THEN excluded.count
           ELSE user_signal.count + excluded.count END,
         last_ms = CASE WHEN excluded.last_ms > user_signal.last_ms THEN excluded.last_ms
           ELSE user_signal.last_ms END`,
    );
  },

  async ofUser(
    tx: Tx,
    workspaceId: string,
    userId: string,
  ): Promise<{ event: string; count: number; last: number }[]> {
    return tx.sql.all<{ event: string; count: number; last: number }>(
      // `+` keeps both engines from the index by age, which has the counts of all users.
      `SELECT event, count, last_ms AS last FROM user_signal WHERE workspace_id = ? AND user_id = ?
       ORDER BY +last_ms DESC LIMIT ${MAX_EVENT_NAMES}`,
      [workspaceId, userId],
    );
  },

  /** How many events users sent, by userId: about those of the last 90 days, a moment after they were stored. */
  async totalsOf(tx: Tx, workspaceId: string, userIds: readonly string[]): Promise<Map<string, number>> {
    const { text, param } = listed(tx.sql.dialect, 'user_id', userIds);
    const rows = await tx.sql.all<{ userId: string; n: number }>(
      `SELECT user_id AS "userId", SUM(count) AS n FROM user_signal WHERE workspace_id = ? AND ${text} GROUP BY user_id`,
      [workspaceId, param],
    );
    return new Map(rows.map(({ userId, n }) => [userId, Number(n)]));
  },

  /** Removes up to `limit` counts of events that did not happen for long, or are all removed; returns how many. */
  purge: (tx: Tx, workspaceId: string, limit: number, { events }: Cutoffs): Promise<number> =>
    deleteSome(
      tx,
      workspaceId,
      { table: 'user_signal', key: 'user_id, event' },
      'last_ms < ?',
      [Math.max(tx.now - LASTING_MS, events ?? 0)],
      limit,
    ),
};
