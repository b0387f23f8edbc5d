import { listed } from '../../../platform/store/listed.ts';
import type { Tx } from '../../../platform/store/store.ts';
import type { Candidate } from '../rules/attribution.ts';

/** The outcomes with which a window begins. */
const OPENING = {
  opened: `('opened', 'clicked', 'actioned')`,
  clicked: `('clicked', 'actioned')`,
} as const;

/** Outcomes that are read for one event. */
const MAX_OUTCOMES = 400;

/** The decisions for which events may count. */
export const candidates = {
  /** Those of some users who have a decision that counts. */
  async decided(tx: Tx, workspaceId: string, hashIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { text, param } = listed(tx.sql.dialect, 'hash_id', hashIds);
    const rows = await tx.sql.all<{ hashId: string }>(
      `SELECT DISTINCT hash_id AS "hashId" FROM decision WHERE workspace_id = ? AND ${text} AND counted_at IS NOT NULL`,
      [workspaceId, param],
    );
    return new Set(rows.map(({ hashId }) => hashId));
  },

  /**
   * The decisions of a user whose windows began after `from` and not after `upTo`, Unix ms, the latest first: up to `limit`
   * of those that were served, or all that had their first outcome of a kind then.
   */
  async of(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    after: 'served' | 'opened' | 'clicked',
    { from, upTo, limit }: { readonly from: number; readonly upTo: number; readonly limit: number },
  ): Promise<Candidate[]> {
    type Row = Omit<Candidate, 'surface'> & { context: string };
    const decision = `d.decision_id AS "decisionId", d.seq, d.content_id AS "contentId", d.category, d.context`;
    const rows =
      after === 'served'
        ? await tx.sql.all<Row>(
            `SELECT ${decision}, d.counted_at AS start FROM decision d
             WHERE d.workspace_id = ? AND d.hash_id = ? AND d.counted_at > ? AND d.counted_at <= ?
             ORDER BY d.counted_at DESC, d.seq DESC LIMIT ?`,
            [workspaceId, hashId, from, upTo, limit],
          )
        : await tx.sql.all<Row>(
            `SELECT ${decision}, (SELECT min(p.at_ms) FROM outcome p WHERE p.workspace_id = ? AND p.kind = 'message'
                 AND p.id = d.decision_id AND p.type IN ${OPENING[after]}) AS start FROM decision d
             WHERE d.workspace_id = ? AND d.counted_at IS NOT NULL AND d.decision_id IN
               (SELECT o.id FROM outcome o WHERE o.workspace_id = ? AND o.hash_id = ? AND o.at_ms > ? AND o.at_ms <= ?
                  AND o.kind = 'message' AND o.type IN ${OPENING[after]} ORDER BY o.at_ms DESC LIMIT ${MAX_OUTCOMES})`,
            [workspaceId, workspaceId, workspaceId, hashId, from, upTo],
          );
    return rows.map(({ context, ...row }) => ({
      ...row,
      seq: Number(row.seq),
      start: Number(row.start),
      category: row.category ?? '',
      surface: (JSON.parse(context) as { surface?: string }).surface,
    }));
  },
};
