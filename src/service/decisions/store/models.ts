import { deleteSome } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';

/** Snapshots kept: the newest, and the one that it falls back to where it is broken. */
const KEPT = 2;
/** Characters of a piece of a snapshot. */
const PIECE = 256 * 1024;

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
  async body(tx: Tx, workspaceId: string, version: number): Promise<string> {
    const rows = await tx.sql.all<{ body: string }>(
      'SELECT body FROM model_piece WHERE workspace_id = ? AND version = ? ORDER BY piece',
      [workspaceId, version],
    );
    return rows.map(({ body }) => body).join('');
  },

  /** The stored snapshots, newest first, without their large texts. */
  async kept(tx: Tx, workspaceId: string): Promise<ModelHead[]> {
    const rows = await tx.sql.all<ModelHead>(
      `SELECT version, learned_seq AS "learnedSeq" FROM model WHERE workspace_id = ? AND attempt IS NULL
       ORDER BY version DESC`,
      [workspaceId],
    );
    return rows.map((row) => ({ version: Number(row.version), learnedSeq: Number(row.learnedSeq) }));
  },

  /** Replaces the text of a snapshot. */
  async replace(tx: Tx, workspaceId: string, version: number, body: string): Promise<void> {
    await removePiecesOf(tx, workspaceId, version);
    for (const [i, piece] of piecesOf(body).entries()) await models.add(tx, workspaceId, version, i, piece);
  },

  /** Begins to store a snapshot, in the place of any that is not whole. `attempt` is a name that no other has. */
  async begin(
    tx: Tx,
    workspaceId: string,
    { version, learnedSeq }: ModelHead,
    attempt: string,
  ): Promise<void> {
    await dropUnfinished(tx, workspaceId);
    // Left of one that was interrupted.
    await removePiecesOf(tx, workspaceId, version);
    await tx.sql.run(
      'INSERT INTO model (workspace_id, version, learned_seq, attempt, at_ms) VALUES (?, ?, ?, ?, ?)',
      [workspaceId, version, learnedSeq, attempt, tx.now],
    );
  },

  /** True while an attempt is storing a snapshot: an erasure, or another process that stores one, ends it. */
  async isStoredBy(tx: Tx, workspaceId: string, attempt: string): Promise<boolean> {
    const row = await tx.sql.get('SELECT 1 AS one FROM model WHERE workspace_id = ? AND attempt = ?', [
      workspaceId,
      attempt,
    ]);
    return row !== undefined;
  },

  /** Stores a piece of a snapshot. */
  async add(tx: Tx, workspaceId: string, version: number, piece: number, body: string): Promise<void> {
    await tx.sql.run('INSERT INTO model_piece (workspace_id, version, piece, body) VALUES (?, ?, ?, ?)', [
      workspaceId,
      version,
      piece,
      body,
    ]);
  },

  /** Makes a snapshot whose pieces are stored the newest model, and drops the oldest, whose pieces are left. */
  async finish(tx: Tx, workspaceId: string, head: ModelHead): Promise<void> {
    await tx.sql.run('UPDATE model SET attempt = NULL WHERE workspace_id = ? AND version = ?', [
      workspaceId,
      head.version,
    ]);
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

  /** Removes up to `limit` pieces of snapshots that were dropped. */
  async removePieces(tx: Tx, workspaceId: string, limit: number): Promise<void> {
    const table = { table: 'model_piece', key: 'version, piece' };
    const where = 'version NOT IN (SELECT version FROM model WHERE workspace_id = ?)';
    await deleteSome(tx, workspaceId, table, where, [workspaceId], limit);
  },

  /** Removes what is stored beside the kept snapshots: one that is being stored, and what is left of others. */
  async removeOthers(tx: Tx, workspaceId: string): Promise<void> {
    await dropUnfinished(tx, workspaceId);
    await tx.sql.run(
      `DELETE FROM model_piece WHERE workspace_id = ? AND version NOT IN
         (SELECT version FROM model WHERE workspace_id = ?)`,
      [workspaceId, workspaceId],
    );
  },
};

const dropUnfinished = (tx: Tx, workspaceId: string) =>
  tx.sql.run('DELETE FROM model WHERE workspace_id = ? AND attempt IS NOT NULL', [workspaceId]);

const removePiecesOf = (tx: Tx, workspaceId: string, version: number) =>
  tx.sql.run('DELETE FROM model_piece WHERE workspace_id = ? AND version = ?', [workspaceId, version]);

/** The pieces of a text, of which each is a few milliseconds of work. */
export function piecesOf(body: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < body.length; ) {
    let to = from + PIECE;
    // A pair of surrogates is one character.
    if (/[\ud800-\udbff]/.test(body.charAt(to - 1))) to--;
    pieces.push(body.slice(from, to));
    from = to;
  }
  return pieces;
}
