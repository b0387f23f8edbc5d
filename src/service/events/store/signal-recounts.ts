import { pipeline } from '../../platform/store/pipeline.ts';
import { insertRows, rowsQuery } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';

/** How often an event of a user is deleted. */
export interface DeletedSignal {
  readonly userId: string;
  readonly event: string;
}

interface Recount extends DeletedSignal {
  readonly deleted: number;
  readonly found: number;
  readonly lastMs: number;
}

const keyOf = ({ userId, event }: DeletedSignal) => `${userId}\n${event}`;

/** Events searched, and counts corrected, in one transaction. */
const SEARCHED = 20_000;
const CORRECTED = 200;

/**
 * Corrects the counts of users' events (user-signals.ts) after events were deleted. How often they were deleted is noted
 * with them; the events that are left say when the last one happened, and how many there are at most.
 */
export const signalRecounts = {
  /** Notes events that are deleted in this transaction. */
  async add(tx: Tx, workspaceId: string, deleted: readonly DeletedSignal[]): Promise<void> {
    const counts = new Map<string, DeletedSignal & { count: number }>();
    for (const { userId, event } of deleted) {
      const key = JSON.stringify([userId, event]);
      counts.set(key, { userId, event, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    await insertRows(
      tx,
      'INSERT INTO signal_recount (workspace_id, user_id, event, deleted, found, last_ms)',
      [...counts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, of]) => [workspaceId, of.userId, of.event, of.count, 0, 0]),
      `ON CONFLICT (workspace_id, user_id, event) DO UPDATE SET deleted = signal_recount.deleted + excluded.deleted`,
    );
  },

  /** True if there are counts to correct. */
  async any(tx: Tx, workspaceId: string): Promise<boolean> {
    const row = await tx.sql.get('SELECT 1 AS one FROM signal_recount WHERE workspace_id = ? LIMIT 1', [
      workspaceId,
    ]);
    return row !== undefined;
  },

  /**
   * Searches the next events after a number for those whose counts are to be corrected. The events up to `counted` are
   * counted; of later ones only their times are noted, as they may wait in memory. Returns the last number searched.
   */
  async search(
    tx: Tx,
    workspaceId: string,
    { after, counted, upTo }: { readonly after: number; readonly counted: number; readonly upTo: number },
  ): Promise<number> {
    const last = Math.min(after + SEARCHED, upTo);
    const rows = await tx.sql.all<{ number: number; userId: string; event: string; timestamp: string }>(
      `SELECT e.number, e.user_id AS "userId", e.event, e.timestamp FROM event e
         JOIN signal_recount r ON r.workspace_id = e.workspace_id AND r.user_id = e.user_id AND r.event = e.event
       WHERE e.workspace_id = ? AND r.workspace_id = ? AND e.number > ? AND e.number <= ?`,
      [workspaceId, workspaceId, after, last],
    );
    const found = new Map<string, { userId: string; event: string; found: number; last: number }>();
    for (const { number, userId, event, timestamp } of rows) {
      const key = JSON.stringify([userId, event]);
      const before = found.get(key) ?? { userId, event, found: 0, last: 0 };
      found.set(key, {
        ...before,
        found: before.found + (Number(number) <= counted ? 1 : 0),
        last: Math.max(before.last, Date.parse(timestamp)),
      });
    }
    if (found.size === 0) return last;
    const { text, param } = rowsQuery(
      tx.sql.dialect,
      [...found.values()].map((each) => [each.userId, each.event, each.found, each.last]),
    );
    await tx.sql.run(
      `WITH v AS MATERIALIZED (${text}) UPDATE signal_recount SET found = found + CAST(v.c2 AS BIGINT),
         last_ms = CASE WHEN CAST(v.c3 AS BIGINT) > last_ms THEN CAST(v.c3 AS BIGINT) ELSE last_ms END FROM v
       WHERE workspace_id = ? AND user_id = v.c0 AND event = v.c1`,
      [param, workspaceId],
    );
    return last;
  },

  /**
   * Corrects some counts, once all events were searched. Returns whether more are left. What was deleted is subtracted; a
   * count is not less than what is left of what it had, because not every event was counted (event-signals.ts).
   */
  async correct(tx: Tx, workspaceId: string): Promise<boolean> {
    const rows = await tx.sql.all<Recount>(
      `SELECT user_id AS "userId", event, deleted, found, last_ms AS "lastMs" FROM signal_recount
       WHERE workspace_id = ? ORDER BY user_id, event LIMIT ${CORRECTED}`,
      [workspaceId],
    );
    if (rows.length === 0) return false;
    // In the order in which others add to counts, so that two transactions lock the rows in it.
    const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    await pipeline(sorted.flatMap((row) => correctOne(tx, workspaceId, row)));
    const { text, param } = rowsQuery(
      tx.sql.dialect,
      rows.map(({ userId, event }) => [userId, event]),
    );
    await tx.sql.run(
      `WITH v AS MATERIALIZED (${text}) DELETE FROM signal_recount
       WHERE workspace_id = ? AND (user_id, event) IN (SELECT c0, c1 FROM v)`,
      [param, workspaceId],
    );
    return rows.length === CORRECTED;
  },
};

/** Corrects one count, and removes it where nothing is left. */
function correctOne({ sql }: Tx, workspaceId: string, row: Recount): Promise<number>[] {
  const [deleted, found, lastMs] = [row.deleted, row.found, row.lastMs].map(Number) as [
    number,
    number,
    number,
  ];
  const key = [workspaceId, row.userId, row.event];
  return [
    sql.run(
      `UPDATE user_signal SET count = CASE WHEN count - ? > CASE WHEN count < ? THEN count ELSE ? END THEN count - ?
         WHEN count < ? THEN count ELSE ? END
       WHERE workspace_id = ? AND user_id = ? AND event = ?`,
      [deleted, found, found, deleted, found, found, ...key],
    ),
    // Where none is in the log, older ones were removed by age, and the count stays with its time.
    ...(lastMs > 0
      ? [
          sql.run('UPDATE user_signal SET last_ms = ? WHERE workspace_id = ? AND user_id = ? AND event = ?', [
            lastMs,
            ...key,
          ]),
        ]
      : []),
    sql.run(
      'DELETE FROM user_signal WHERE workspace_id = ? AND user_id = ? AND event = ? AND count <= 0',
      key,
    ),
  ];
}
