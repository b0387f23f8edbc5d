import { MAX_DAILY_CONTACTS } from '../../../contract/limits.ts';
import { listed } from '../../platform/store/listed.ts';
import { olderThan } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';

/** Contacts older than this count for no calendar day in any time zone. */
const COUNTED_MS = 3 * 86_400_000;

/** Contacts with users: decisions that returned an action and accepted notifications. Daily caps count them. */
export const contacts = {
  /**
   * Locks the user for the rest of the transaction, so that two decisions cannot both use the last contact of a day.
   * Returns the number of decisions for the user, including this one. An unknown hashId is locked as well.
   */
  async lockForUpdate(tx: Tx, workspaceId: string, hashId: string): Promise<number> {
    const row = await tx.sql.get<{ decisions: number }>(
      `INSERT INTO decided_user (workspace_id, hash_id, decisions) VALUES (?, ?, 1)
       ON CONFLICT (workspace_id, hash_id) DO UPDATE SET decisions = decided_user.decisions + 1
       RETURNING decisions`,
      [workspaceId, hashId],
    );
    return row!.decisions;
  },

  /** Locks the user like `lockForUpdate`, for a contact that is not of a new decision. */
  async lock(tx: Tx, workspaceId: string, hashId: string): Promise<void> {
    await tx.sql.run(
      `INSERT INTO decided_user (workspace_id, hash_id, decisions) VALUES (?, ?, 0)
       ON CONFLICT (workspace_id, hash_id) DO UPDATE SET decisions = decided_user.decisions`,
      [workspaceId, hashId],
    );
  },

  /** How many decisions were made for users, by hashId. */
  async decisionsOf(tx: Tx, workspaceId: string, hashIds: readonly string[]): Promise<Map<string, number>> {
    const { text, param } = listed(tx.sql.dialect, 'hash_id', hashIds);
    const rows = await tx.sql.all<{ hashId: string; n: number }>(
      `SELECT hash_id AS "hashId", decisions AS n FROM decided_user WHERE workspace_id = ? AND ${text}`,
      [workspaceId, param],
    );
    return new Map(rows.map(({ hashId, n }) => [hashId, Number(n)]));
  },

  /** Adds a contact. `id` is that of the decision or notification; `at`, Unix ms, may be in the future. */
  async add(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    kind: 'decision' | 'notification',
    id: string,
    at = tx.now,
  ): Promise<void> {
    await tx.sql.run('INSERT INTO contact (workspace_id, hash_id, at_ms, kind, id) VALUES (?, ?, ?, ?, ?)', [
      workspaceId,
      hashId,
      at,
      kind,
      id,
    ]);
  },

  /** Gives back the contact of a decision whose message was never served, or of a notification that was never sent. */
  async release(tx: Tx, workspaceId: string, hashId: string, id: string): Promise<void> {
    await tx.sql.run('DELETE FROM contact WHERE workspace_id = ? AND hash_id = ? AND id = ?', [
      workspaceId,
      hashId,
      id,
    ]);
  },

  /** Passes the contact of a decision on to the one that replaces it. */
  async passOn(tx: Tx, workspaceId: string, hashId: string, from: string, to: string): Promise<void> {
    await tx.sql.run('UPDATE contact SET id = ? WHERE workspace_id = ? AND hash_id = ? AND id = ?', [
      to,
      workspaceId,
      hashId,
      from,
    ]);
  },

  /** Counts the contacts of a user in [`start`, `end`), unix ms, up to the highest possible cap. */
  async count(tx: Tx, workspaceId: string, hashId: string, start: number, end: number): Promise<number> {
    const row = await tx.sql.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM (SELECT at_ms FROM contact
         WHERE workspace_id = ? AND hash_id = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms LIMIT ?) AS c`,
      [workspaceId, hashId, start, end, MAX_DAILY_CONTACTS],
    );
    return row!.n;
  },

  /** Deletes up to `limit` contacts that no longer count for any day. Returns how many. */
  purge: olderThan('contact', 'hash_id, at_ms, id', 'at_ms', COUNTED_MS),
};
