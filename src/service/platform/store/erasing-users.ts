import { hashId } from '../crypto/hash-id.ts';
import type { Tx } from './store.ts';
import { workspaces } from './workspaces.ts';

/** The users of a workspace who are being erased. Until that has ended, nothing is stored for them. */
export const erasingUsers = {
  /** True until nothing of the user is left. */
  async has(tx: Tx, workspaceId: string, hashId: string): Promise<boolean> {
    const row = await tx.sql.get(
      `SELECT 1 AS one FROM erasure WHERE workspace_id = ? AND hash_id = ? AND phase <> 'done'`,
      [workspaceId, hashId],
    );
    return row !== undefined;
  },

  /** The hashIds of all of them. */
  async all(tx: Tx, workspaceId: string): Promise<ReadonlySet<string>> {
    const rows = await tx.sql.all<{ hashId: string }>(
      `SELECT hash_id AS "hashId" FROM erasure WHERE workspace_id = ? AND phase <> 'done'`,
      [workspaceId],
    );
    return new Set(rows.map((row) => row.hashId));
  },

  /** Those among some users, by their ids. */
  async among(tx: Tx, workspaceId: string, userIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const key = await workspaces.hashKey(tx, workspaceId);
    const erasing = await erasingUsers.all(tx, workspaceId);
    return new Set([...userIds].filter((userId) => erasing.has(hashId(key, userId))));
  },
};
