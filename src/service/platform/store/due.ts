import { newId } from '../../../kit/id.ts';
import type { Tx } from './store.ts';
import { textArray } from './text-array.ts';

/** The kinds of background work. */
export const LANES = [
  'clean',
  'deliveries',
  'erase',
  'fan-out',
  'goals',
  'ids',
  'index',
  'learn',
  'notifications',
  'settle',
] as const;
export type Lane = (typeof LANES)[number];

/**
 * Marks that a workspace has work in a lane at a time, Unix ms, so that a worker looks only where there is work. The
 * transaction that stores work adds a mark. A worker removes the marks that it sees before it looks at the work,
 * and adds one for what is left: a mark of a transaction that has not committed stays, so no work is overlooked, and no
 * writer waits for another or for a worker.
 */
export const due = {
  async mark(tx: Tx, workspaceId: string, lane: Lane, at = tx.now): Promise<void> {
    await tx.sql.run('INSERT INTO due (workspace_id, lane, due_at, due_id) VALUES (?, ?, ?, ?)', [
      workspaceId,
      lane,
      at,
      newId('due'),
    ]);
  },

  /** Removes the marks of a workspace in a lane. Call it before the statements that look for the work. */
  async clear(tx: Tx, workspaceId: string, lane: Lane): Promise<void> {
    await tx.sql.run(
      `DELETE FROM due WHERE (workspace_id, lane, due_at, due_id) IN
         (SELECT workspace_id, lane, due_at, due_id FROM due WHERE workspace_id = ? AND lane = ?
          ${tx.sql.dialect.skipLocked})`,
      [workspaceId, lane],
    );
  },

  /** Up to `limit` workspaces with due marks in a lane, ordered by identifier, after the identifier `after`. */
  async workspaces(tx: Tx, lane: Lane, after: string, limit: number): Promise<string[]> {
    const rows = await tx.sql.all<{ id: string }>(
      // Materialized, so that only due marks are read: the order would suggest the primary key, which has all of them.
      `WITH marks AS MATERIALIZED (SELECT workspace_id FROM due WHERE lane = ? AND due_at <= ?)
       SELECT DISTINCT workspace_id AS id FROM marks WHERE workspace_id > ? ORDER BY workspace_id LIMIT ?`,
      [lane, tx.now, after, limit],
    );
    return rows.map(({ id }) => id);
  },

  /** When the next mark of a lane is due in any workspace, Unix ms; undefined without marks. */
  async next(tx: Tx, lane: Lane): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number }>(
      'SELECT due_at AS at FROM due WHERE lane = ? ORDER BY due_at LIMIT 1',
      [lane],
    );
    return row?.at;
  },

  /** Those of some workspaces that have due marks in a lane, up to `limit`, ordered by identifier. */
  async among(tx: Tx, lane: Lane, ids: readonly string[], limit: number): Promise<string[]> {
    const rows = await tx.sql.all<{ id: string }>(
      `WITH marks AS MATERIALIZED (SELECT workspace_id FROM due WHERE lane = ? AND due_at <= ?
         AND workspace_id = ANY ((?)::text[]))
       SELECT DISTINCT workspace_id AS id FROM marks ORDER BY workspace_id LIMIT ?`,
      [lane, tx.now, textArray(ids), limit],
    );
    return rows.map(({ id }) => id);
  },
};
