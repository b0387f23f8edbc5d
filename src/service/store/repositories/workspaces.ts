import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from '../store.ts';
import { due } from './due.ts';
import { eventHeads } from './event-heads.ts';

export interface Workspace {
  readonly id: string;
  /** Its region; null if the service has no regions. */
  readonly region: string | null;
}

/** Keys per statement. */
const KEYS_PER_QUERY = 64;

/** Generates an API key. It is shown once; only its hash is stored. */
export function newApiKey(): string {
  return `sk_test_${randomBytes(24).toString('hex')}`;
}

/** The hash under which a key is stored. */
export const hashOfKey = (apiKey: string) => createHash('sha256').update(apiKey).digest('hex');

export const workspaces = {
  async create(tx: Tx, id: string, region: string | null): Promise<void> {
    await tx.sql.run(
      'INSERT INTO workspace (workspace_id, region, hash_key, created_at) VALUES (?, ?, ?, ?)',
      [id, region, randomBytes(32), tx.now],
    );
    await eventHeads.create(tx, id);
    await due.mark(tx, id, 'clean');
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
      'SELECT workspace_id AS id, region FROM workspace ORDER BY created_at, workspace_id LIMIT 1',
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

  async addKey(tx: Tx, workspaceId: string, apiKey: string): Promise<void> {
    await tx.sql.run(
      'INSERT INTO api_key (key_hash, workspace_id, created_at) VALUES (?, ?, ?) ON CONFLICT (key_hash) DO NOTHING',
      [hashOfKey(apiKey), workspaceId, tx.now],
    );
  },

  /** Which of these keys, given by their hashes, exist. */
  async existingKeys(tx: Tx, hashes: readonly string[]): Promise<Set<string>> {
    const existing = new Set<string>();
    const placeholders = Array(KEYS_PER_QUERY).fill('?').join(', ');
    for (let from = 0; from < hashes.length; from += KEYS_PER_QUERY) {
      const part = hashes.slice(from, from + KEYS_PER_QUERY);
      const rows = await tx.sql.all<{ hash: string }>(
        `SELECT key_hash AS hash FROM api_key WHERE key_hash IN (${placeholders})`,
        [...part, ...Array<null>(KEYS_PER_QUERY - part.length).fill(null)],
      );
      for (const { hash } of rows) existing.add(hash);
    }
    return existing;
  },

  /** The workspace of an API key; undefined for an unknown key. */
  async ofKey(tx: Tx, apiKey: string): Promise<Workspace | undefined> {
    return tx.sql.get<Workspace>(
      `SELECT w.workspace_id AS id, w.region FROM api_key k JOIN workspace w ON w.workspace_id = k.workspace_id
       WHERE k.key_hash = ?`,
      [hashOfKey(apiKey)],
    );
  },
};
