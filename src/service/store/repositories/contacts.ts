import { MAX_DAILY_CONTACTS } from '../../../contract/limits.ts';
import type { Tx } from '../store.ts';

/** No calendar day is longer than 26 hours; after this long a contact counts for none. */
const COUNTED_MS = 3 * 86_400_000;

/** What reached a user, or was sent on its way: the base of every daily cap. */
export const contacts = {
  /**
   * Holds the user for the rest of the transaction, so that two decisions cannot both take the last contact of a day.
   * Returns how many decisions were made for the user, this one included. An unknown hashId is held as well.
   */
  async lockForUpdate(tx: Tx, workspaceId: string, hashId: string): Promise<number> {
    const row = await tx.sql.get<{ decisions: number }>(
      `INSERT INTO decided_user (workspace_id, hash_id, decisions) VALUES (?, ?, 1)
       ON CONFLICT (workspace_id, hash_id) DO UPDATE SET decisions = decided_user.decisions + 1
       RETURNING decisions`,
      [workspaceId, hashId],
    );
    return Number(row!.decisions);
  },

  /** Counts one contact, now. `id` is the decision's or the notification's. */
  async add(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    kind: 'decision' | 'notification',
    id: string,
  ): Promise<void> {
    await tx.sql.run('INSERT INTO contact (workspace_id, hash_id, at_ms, kind, id) VALUES (?, ?, ?, ?, ?)', [
      workspaceId,
      hashId,
      tx.now,
      kind,
      id,
    ]);
  },

  /** Gives back the contact of a decision whose message was withdrawn before it was served. */
  async release(tx: Tx, workspaceId: string, hashId: string, decisionId: string): Promise<void> {
    await tx.sql.run('DELETE FROM contact WHERE workspace_id = ? AND hash_id = ? AND id = ?', [
      workspaceId,
      hashId,
      decisionId,
    ]);
  },

  /** Contacts of a user from `start` to before `end`, unix ms; counted up to the highest cap there may be. */
  async count(tx: Tx, workspaceId: string, hashId: string, start: number, end: number): Promise<number> {
    const row = await tx.sql.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM (SELECT at_ms FROM contact
         WHERE workspace_id = ? AND hash_id = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms LIMIT ?) AS c`,
      [workspaceId, hashId, start, end, MAX_DAILY_CONTACTS],
    );
    return Number(row!.n);
  },

  /** Removes up to `most` contacts that count for no day any more; returns how many. */
  async purge(tx: Tx, most: number): Promise<number> {
    return tx.sql.run(
      `DELETE FROM contact WHERE (workspace_id, hash_id, at_ms, id) IN
         (SELECT workspace_id, hash_id, at_ms, id FROM contact WHERE at_ms < ? LIMIT ? ${tx.sql.dialect.skipLocked})`,
      [tx.now - COUNTED_MS, most],
    );
  },
};
