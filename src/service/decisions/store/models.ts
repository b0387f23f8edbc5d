import type { Tx } from '../../platform/store/store.ts';

/** Snapshots kept: the newest, and the one that it falls back to where it is broken. */
const KEPT = 2;

export interface ModelHead {
  readonly version: number;
  /** The last entry of the reward log that it includes. */
  readonly learnedSeq: number;
}

export const models = {
  /** Version and reward log position of the newest model; undefined before the first. */
  async head(tx: Tx, workspaceId: string): Promise<ModelHead | undefined> {
    const row = await tx.sql.get<ModelHead>(
      'SELECT version, learned_seq AS "learnedSeq" FROM model_head WHERE workspace_id = ?',
      [workspaceId],
    );
    return row && { version: Number(row.version), learnedSeq: Number(row.learnedSeq) };
  },

  /** Like `head`, and locks it for the rest of the transaction, for one learner at a time. */
  async lockForUpdate(tx: Tx, workspaceId: string): Promise<ModelHead> {
    await tx.sql.run(
      `INSERT INTO model_head (workspace_id, version, learned_seq) VALUES (?, 0, 0)
       ON CONFLICT (workspace_id) DO UPDATE SET version = model_head.version`,
      [workspaceId],
    );
    return (await models.head(tx, workspaceId))!;
  },

  /** The text of a snapshot. */
  async body(tx: Tx, workspaceId: string, version: number): Promise<string | undefined> {
    const row = await tx.sql.get<{ body: string }>(
      'SELECT body FROM model WHERE workspace_id = ? AND version = ?',
      [workspaceId, version],
    );
    return row?.body;
  },

  /** The stored snapshots, newest first, without their large texts. */
  async kept(tx: Tx, workspaceId: string): Promise<ModelHead[]> {
    const rows = await tx.sql.all<ModelHead>(
      `SELECT version, learned_seq AS "learnedSeq" FROM model WHERE workspace_id = ? ORDER BY version DESC`,
      [workspaceId],
    );
    return rows.map((row) => ({ version: Number(row.version), learnedSeq: Number(row.learnedSeq) }));
  },

  /** Replaces the text of a snapshot. */
  async replace(tx: Tx, workspaceId: string, version: number, body: string): Promise<void> {
    await tx.sql.run('UPDATE model SET body = ? WHERE workspace_id = ? AND version = ?', [
      body,
      workspaceId,
      version,
    ]);
  },

  /** Stores a snapshot as the newest model and deletes the oldest. */
  async publish(tx: Tx, workspaceId: string, head: ModelHead, body: string): Promise<void> {
    await tx.sql.run(
      'INSERT INTO model (workspace_id, version, learned_seq, body, at_ms) VALUES (?, ?, ?, ?, ?)',
      [workspaceId, head.version, head.learnedSeq, body, tx.now],
    );
    await tx.sql.run('UPDATE model_head SET version = ?, learned_seq = ? WHERE workspace_id = ?', [
      head.version,
      head.learnedSeq,
      workspaceId,
    ]);
    await tx.sql.run(
      `DELETE FROM model WHERE workspace_id = ? AND version NOT IN
         (SELECT version FROM model WHERE workspace_id = ? ORDER BY version DESC LIMIT ${KEPT})`,
      [workspaceId, workspaceId],
    );
  },
};
