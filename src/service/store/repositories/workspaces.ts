import { randomBytes } from 'node:crypto';
import type { Tx } from '../store.ts';
import { due } from './due.ts';
import { eventHeads } from './event-heads.ts';

export interface Workspace {
  readonly id: string;
  /** Its region; null if the service has no regions. */
  readonly region: string | null;
  readonly mode: Mode;
}

/**
 * A test workspace sends notifications to the outbox only. Null for a workspace that was created before modes existed:
 * it sends like a live one.
 */
export type Mode = 'live' | 'test' | null;

const WORKSPACE_COLUMNS = 'workspace_id AS id, region, mode';

export const workspaces = {
  /** Creates a workspace. Returns false if one with this id exists. */
  async create(tx: Tx, { id, region, mode }: Workspace): Promise<boolean> {
    const created = await tx.sql.get<{ id: string }>(
      `INSERT INTO workspace (workspace_id, region, mode, hash_key, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id) DO NOTHING RETURNING workspace_id AS id`,
      [id, region, mode, randomBytes(32), tx.now],
    );
    if (!created) return false;
    await eventHeads.create(tx, id);
    await due.mark(tx, id, 'clean');
    return true;
  },

  /** All workspaces, oldest first. */
  async list(tx: Tx): Promise<(Workspace & { createdAt: number })[]> {
    return tx.sql.all(
      `SELECT ${WORKSPACE_COLUMNS}, created_at AS "createdAt" FROM workspace ORDER BY created_at, workspace_id`,
    );
  },

  async get(tx: Tx, id: string): Promise<Workspace | undefined> {
    return tx.sql.get<Workspace>(`SELECT ${WORKSPACE_COLUMNS} FROM workspace WHERE workspace_id = ?`, [id]);
  },

  async setMode(tx: Tx, id: string, mode: 'live' | 'test'): Promise<void> {
    await tx.sql.run('UPDATE workspace SET mode = ? WHERE workspace_id = ?', [mode, id]);
  },

  /** Up to `most` identifiers, in order, after `after`. */
  async ids(tx: Tx, after: string, most: number): Promise<string[]> {
    const rows = await tx.sql.all<{ id: string }>(
      'SELECT workspace_id AS id FROM workspace WHERE workspace_id > ? ORDER BY workspace_id LIMIT ?',
      [after, most],
    );
    return rows.map(({ id }) => id);
  },

  async first(tx: Tx): Promise<Workspace | undefined> {
    return tx.sql.get<Workspace>(
      `SELECT ${WORKSPACE_COLUMNS} FROM workspace ORDER BY created_at, workspace_id LIMIT 1`,
    );
  },

  /** The random key with which a workspace hashes user identifiers. */
  async hashKey(tx: Tx, id: string): Promise<Uint8Array> {
    const row = await tx.sql.get<{ key: Uint8Array }>(
      'SELECT hash_key AS key FROM workspace WHERE workspace_id = ?',
      [id],
    );
    if (!row) throw new Error(`workspace ${id} does not exist`);
    return row.key;
  },
};
