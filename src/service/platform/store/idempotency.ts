import { createHash } from 'node:crypto';
import { IDEMPOTENCY_TTL_MS } from '../../../contract/limits.ts';
import { olderThan } from './rows.ts';
import type { Tx } from './store.ts';

/** The first answer to an idempotency key, stored for 24 hours (docs/design-choices.md, "Idempotency"). */
export interface StoredAnswer {
  readonly digest: string;
  readonly status: number;
  /** JSON text; null for an answer without a body. */
  readonly body: string | null;
}

export const idempotency = {
  /**
   * Returns the stored answer to a key and locks it, so that a replay has something to commit: on PostgreSQL with a
   * synchronous standby, the replay then waits for the standby, as the first request may have been cut off before that.
   */
  async find(tx: Tx, workspaceId: string, key: string): Promise<StoredAnswer | undefined> {
    return tx.sql.get<StoredAnswer>(
      `SELECT digest, status, body FROM idempotency
       WHERE workspace_id = ? AND key IN (?, ?) AND expires_at > ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, key, hidden(key), tx.now],
    );
  },

  /** Stores the answer to a key. Returns false if another request has stored one first. */
  async keep(tx: Tx, workspaceId: string, key: string, answer: StoredAnswer): Promise<boolean> {
    const changed = await tx.sql.run(
      `INSERT INTO idempotency (workspace_id, key, digest, status, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id, key) DO UPDATE SET digest = excluded.digest, status = excluded.status,
         body = excluded.body, expires_at = excluded.expires_at WHERE idempotency.expires_at <= ?`,
      [workspaceId, key, answer.digest, answer.status, answer.body, tx.now + IDEMPOTENCY_TTL_MS, tx.now],
    );
    return changed > 0;
  },

  /** Replaces a key by a hash of it, by which the key still finds its answer: it contains what is to be erased. */
  async hide(tx: Tx, workspaceId: string, key: string): Promise<void> {
    // An expired answer may be there.
    await tx.sql.run('DELETE FROM idempotency WHERE workspace_id = ? AND key = ?', [
      workspaceId,
      hidden(key),
    ]);
    await tx.sql.run('UPDATE idempotency SET key = ? WHERE workspace_id = ? AND key = ?', [
      hidden(key),
      workspaceId,
      key,
    ]);
  },

  /** Deletes up to `limit` expired keys. Returns how many. */
  purge: olderThan('idempotency', 'key', 'expires_at', 0),
};

/** No key of a request holds a space, so nobody can name it. */
const hidden = (key: string) => `hidden ${createHash('sha256').update(key).digest('hex')}`;
