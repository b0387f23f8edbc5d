import { due } from '../../platform/store/due.ts';
import type { Tx } from '../../platform/store/store.ts';
import { recentEvents } from './recent-events.ts';

/** The head of a workspace's event log. */
export interface EventHead {
  /** The number of the newest event; 0 before the first. All events up to it are committed. */
  readonly number: number;
  /** The event names that ingest indexes. */
  readonly names: readonly string[];
}

/**
 * Numbers of events are assigned under the lock of their workspace's head, so that numbers are in commit order: a reader
 * that pages by number cannot miss an event. The lock is taken when the events are inserted.
 */
export const eventHeads = {
  async get(tx: Tx, workspaceId: string): Promise<EventHead> {
    const row = await tx.sql.get<{ number: number; names: string }>(
      'SELECT number, names FROM event_head WHERE workspace_id = ?',
      [workspaceId],
    );
    return row ? { number: row.number, names: JSON.parse(row.names) } : { number: 0, names: [] };
  },

  /** Creates the head of a new workspace with the names of the catalog at this time. */
  async create(tx: Tx, workspaceId: string): Promise<void> {
    const { names } = await recentEvents.shared(tx);
    await tx.sql.run('INSERT INTO event_head (workspace_id, number, names) VALUES (?, 0, ?)', [
      workspaceId,
      JSON.stringify(names),
    ]);
    // The names may be changed at the same time: the indexer compares them.
    await due.mark(tx, workspaceId, 'index');
    await tx.notify('settings');
  },

  /** True if users of the workspace may be erased at the moment. */
  async isErasing(tx: Tx, workspaceId: string): Promise<boolean> {
    const row = await tx.sql.get<{ erasing: number }>(
      'SELECT erasing FROM event_head WHERE workspace_id = ?',
      [workspaceId],
    );
    return row?.erasing === 1;
  },

  /** Says that a user is being erased: later events see it. Returns the number of the last earlier one. */
  async startErasing(tx: Tx, workspaceId: string): Promise<number> {
    const row = await tx.sql.get<{ number: number }>(
      'UPDATE event_head SET erasing = 1 WHERE workspace_id = ? RETURNING number',
      [workspaceId],
    );
    return row?.number ?? 0;
  },

  /** Locks the head, so that no event is stored until the transaction ends. Returns the number of the newest one. */
  async lock(tx: Tx, workspaceId: string): Promise<number> {
    // With the lock, the next statement sees what was stored under it.
    const row = await tx.sql.get<{ number: number }>(
      `SELECT number FROM event_head WHERE workspace_id = ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId],
    );
    return Number(row?.number ?? 0);
  },

  /** Says that no user is being erased, unless one is. */
  async endErasing(tx: Tx, workspaceId: string): Promise<void> {
    await eventHeads.lock(tx, workspaceId);
    await tx.sql.run(
      `UPDATE event_head SET erasing = 0 WHERE workspace_id = ? AND NOT EXISTS
         (SELECT 1 FROM erasure WHERE workspace_id = ? AND phase <> 'done')`,
      [workspaceId, workspaceId],
    );
  },

  /** Changes the names that ingest indexes. Later events see them; returns the number of the last earlier one. */
  async setNames(tx: Tx, workspaceId: string, names: readonly string[]): Promise<number> {
    const row = await tx.sql.get<{ number: number }>(
      'UPDATE event_head SET names = ? WHERE workspace_id = ? RETURNING number',
      [JSON.stringify(names), workspaceId],
    );
    return row?.number ?? 0;
  },
};
