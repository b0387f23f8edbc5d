import { removals } from '../../platform/store/retention/removals.ts';
import { deleteSome } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';

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

  /** Up to `limit` batches of a run that begin above a number, in order. */
  async after(tx: Tx, workspaceId: string, run: string, number: number, limit: number): Promise<RunRange[]> {
    const rows = await tx.sql.all<RunRange>(
      'SELECT first, last FROM event_run WHERE workspace_id = ? AND run = ? AND first > ? ORDER BY first LIMIT ?',
      [workspaceId, run, number, limit],
    );
    return rows.map(({ first, last }) => ({ first: Number(first), last: Number(last) }));
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
