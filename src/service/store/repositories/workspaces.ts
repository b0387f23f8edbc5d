import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from '../store.ts';

export interface Workspace {
  readonly id: string;
  /** The region it lives in; null where the service has none. */
  readonly region: string | null;
}

/** Keys of one statement. */
const LOOKED_UP_AT_ONCE = 64;

/** A server key: shown once, stored as its hash only. */
export function newApiKey(): string {
  return `sk_test_${randomBytes(24).toString('hex')}`;
}

/** How a key is known to the store. */
export const hashOfKey = (apiKey: string) => createHash('sha256').update(apiKey).digest('hex');

export const workspaces = {
  async create(tx: Tx, id: string, region: string | null): Promise<void> {
    await tx.sql.run(
      'INSERT INTO workspace (workspace_id, region, hash_key, created_at) VALUES (?, ?, ?, ?)',
      [id, region, randomBytes(32), tx.now],
    );
  },

  async first(tx: Tx): Promise<Workspace | undefined> {
    return tx.sql.get<Workspace>(
      'SELECT workspace_id AS id, region FROM workspace ORDER BY created_at, workspace_id LIMIT 1',
    );
  },

  /** The random key under which this workspace hashes user identifiers. */
  async hashKey(tx: Tx, id: string): Promise<Uint8Array> {
    const row = await tx.sql.get<{ key: Uint8Array }>(
      'SELECT hash_key AS key FROM workspace WHERE workspace_id = ?',
      [id],
    );
    if (!row) throw new Error(`workspace ${id} is gone`);
    return row.key;
  },

  async addKey(tx: Tx, workspaceId: string, apiKey: string): Promise<void> {
    await tx.sql.run(
      'INSERT INTO api_key (key_hash, workspace_id, created_at) VALUES (?, ?, ?) ON CONFLICT (key_hash) DO NOTHING',
      [hashOfKey(apiKey), workspaceId, tx.now],
    );
  },

  /** Which of these keys, by their hashes, are there. */
  async keysThere(tx: Tx, hashes: readonly string[]): Promise<Set<string>> {
    const there = new Set<string>();
    const places = Array(LOOKED_UP_AT_ONCE).fill('?').join(', ');
    for (let from = 0; from < hashes.length; from += LOOKED_UP_AT_ONCE) {
      const part = hashes.slice(from, from + LOOKED_UP_AT_ONCE);
      const rows = await tx.sql.all<{ hash: string }>(
        `SELECT key_hash AS hash FROM api_key WHERE key_hash IN (${places})`,
        [...part, ...Array<null>(LOOKED_UP_AT_ONCE - part.length).fill(null)],
      );
      for (const { hash } of rows) there.add(hash);
    }
    return there;
  },

  /** The workspace that a key opens; undefined for a key nobody issued. */
  async ofKey(tx: Tx, apiKey: string): Promise<Workspace | undefined> {
    return tx.sql.get<Workspace>(
      `SELECT w.workspace_id AS id, w.region FROM api_key k JOIN workspace w ON w.workspace_id = k.workspace_id
       WHERE k.key_hash = ?`,
      [hashOfKey(apiKey)],
    );
  },
};
