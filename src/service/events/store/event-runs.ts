import { MAX_BATCH } from '../../../contract/limits.ts';
import { removals } from '../../platform/store/retention/removals.ts';
import { deleteSome } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';

/** Batches that are read at a time. */
const RANGES = 1000;

/** Numbers of the events of one batch: from `first` to `last`. Those that were not stored are left out of the log. */
export interface RunRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Which events the runs of imports sent. A batch has one row, and an event none: its numbers follow one another, and events
 * without a run cost nothing.
 */
export const eventRuns = {
  /** Notes that the events of a batch are of a run, in the transaction that stores them. */
  async add(tx: Tx, workspaceId: string, run: string, { first, last }: RunRange): Promise<void> {
    await tx.sql.run('INSERT INTO event_run (workspace_id, first, last, run) VALUES (?, ?, ?, ?)', [
      workspaceId,
      first,
      last,
      run,
    ]);
  },

  /** True once all that a run sent is deleted, or is to be: it must send no more. */
  async isTakenBack(tx: Tx, workspaceId: string, run: string): Promise<boolean> {
    const row = await tx.sql.get(
      'SELECT 1 AS one FROM event_deletion WHERE workspace_id = ? AND run = ? LIMIT 1',
      [workspaceId, run],
    );
    return row !== undefined;
  },

  /** Whether a run sent events that are stored, or all that it sent was deleted lately. */
  async isKnown(tx: Tx, workspaceId: string, run: string): Promise<boolean> {
    const row = await tx.sql.get(
      'SELECT 1 AS one FROM event_run WHERE workspace_id = ? AND run = ? LIMIT 1',
      [workspaceId, run],
    );
    return row !== undefined || eventRuns.isTakenBack(tx, workspaceId, run);
  },

  /** Some batches of a run that have numbers above one, in order. */
  async after(tx: Tx, workspaceId: string, run: string, number: number): Promise<RunRange[]> {
    const rows = await tx.sql.all<RunRange>(
      `SELECT first, last FROM event_run WHERE workspace_id = ? AND run = ? AND first > ? AND last > ?
       ORDER BY first LIMIT ${RANGES}`,
      [workspaceId, run, number - MAX_BATCH, number],
    );
    return rows.map(({ first, last }) => ({ first: Number(first), last: Number(last) }));
  },

  async remove(tx: Tx, workspaceId: string, run: string): Promise<void> {
    await tx.sql.run('DELETE FROM event_run WHERE workspace_id = ? AND run = ?', [workspaceId, run]);
  },

  /** Removes up to `limit` rows of which no event is left (serve --retain events). Returns how many. */
  async purge(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    const removed = await removals.of(tx, workspaceId, 'events');
    if (!removed) return 0;
    const table = { table: 'event_run', key: 'first' };
    return deleteSome(
      tx,
      workspaceId,
      table,
      'first <= ? AND last <= ?',
      [removed.number, removed.number],
      limit,
    );
  },
};
