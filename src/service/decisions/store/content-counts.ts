import { listed } from '../../platform/store/listed.ts';
import type { Tx } from '../../platform/store/store.ts';
import { CLICKED } from '../engine/reward.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The widths of buckets, in ms. */
const WIDTHS = { hour: HOUR_MS, day: DAY_MS } as const;
/** Width of the buckets of a series. */
export type Step = keyof typeof WIDTHS;

/** How long buckets are kept. */
const KEPT_MS: Readonly<Record<Step, number>> = { hour: 15 * DAY_MS, day: 400 * DAY_MS };

/** Entries of the reward log per statement. */
const CHUNK = 1000;

/** What made the choice of a decision. */
export type CountedPolicy = 'learned' | 'holdout' | 'weights';

/** Decisions that count, those that were rewarded, and those whose message was dismissed. */
export interface Counts {
  readonly served: number;
  readonly rewarded: number;
  readonly dismissed: number;
}

/** What a content earned. */
export interface CountedContent extends Counts {
  readonly contentId: string;
}

/** What was earned in an hour or a day. */
export interface CountedBucket extends Counts {
  /** Start of the bucket, Unix ms. */
  readonly from: number;
  readonly policy: CountedPolicy;
}

/** Every decision counts in six rows: for its content and for all, of all time, of its hour and of its day. */
const ROWS = `CROSS JOIN (SELECT 0 AS width UNION ALL SELECT ${HOUR_MS} UNION ALL SELECT ${DAY_MS}) AS w
  CROSS JOIN (SELECT 0 AS whole UNION ALL SELECT 1) AS s`;
const KEY = (content: string) => `w.width, CASE WHEN s.whole = 1 THEN '' ELSE ${content} END,
  CASE WHEN w.width = 0 THEN 0 ELSE (COALESCE(d.counted_at, d.at_ms) / w.width) * w.width END,
  COALESCE(d.policy, 'learned')`;
const INTO = `INSERT INTO content_count (workspace_id, width, content_id, bucket, policy, served, rewarded, dismissed, tried)`;
// In the order of the key, so that two transactions lock the rows in one order.
const ADD = `GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (workspace_id, width, content_id, bucket, policy) DO UPDATE SET
    served = content_count.served + excluded.served, rewarded = content_count.rewarded + excluded.rewarded,
    dismissed = content_count.dismissed + excluded.dismissed, tried = content_count.tried + excluded.tried`;

const SUMS = 'SUM(served) AS served, SUM(rewarded) AS rewarded, SUM(dismissed) AS dismissed';

const TOTALS = `SELECT content_id AS "contentId", ${SUMS} FROM content_count WHERE workspace_id = ? AND width = 0`;

/** What contents earned, by hour, by day and in all: counted in bulk from the reward log, and never by a decision. */
export const contentCounts = {
  /** Counts up to CHUNK further entries of the reward log. Returns true if more are left. One transaction at a time. */
  async follow(tx: Tx, workspaceId: string): Promise<boolean> {
    const head = await tx.sql.get<{ seq: number }>(
      `INSERT INTO content_count_head (workspace_id, seq) VALUES (?, 0)
       ON CONFLICT (workspace_id) DO UPDATE SET seq = content_count_head.seq RETURNING seq`,
      [workspaceId],
    );
    const last = await tx.sql.get<{ seq: number }>('SELECT seq FROM reward_head WHERE workspace_id = ?', [
      workspaceId,
    ]);
    const after = Number(head!.seq);
    const end = Number(last?.seq ?? 0);
    const upTo = Math.min(after + CHUNK, end);
    if (upTo <= after) return false;
    await tx.sql.run(
      `${INTO} SELECT r.workspace_id, ${KEY('r.content_id')},
         SUM(CASE WHEN r.was IS NULL THEN 1 ELSE 0 END),
         SUM(CASE WHEN r.earned >= ${CLICKED} THEN 1 ELSE 0 END - CASE WHEN r.earned_was >= ${CLICKED} THEN 1 ELSE 0 END), 0,
         SUM(CASE WHEN r.was IS NULL AND d.tried = 1 THEN 1 ELSE 0 END)
       FROM reward r JOIN decision d ON d.workspace_id = r.workspace_id AND d.decision_id = r.decision_id ${ROWS}
       WHERE r.workspace_id = ? AND r.seq > ? AND r.seq <= ? ${ADD}`,
      [workspaceId, after, upTo],
    );
    await tx.sql.run('UPDATE content_count_head SET seq = ? WHERE workspace_id = ?', [upTo, workspaceId]);
    return upTo < end;
  },

  /** True while entries of the reward log are not counted. */
  async behind(tx: Tx, workspaceId: string): Promise<boolean> {
    const row = await tx.sql.get(
      `SELECT 1 AS one FROM reward_head r WHERE r.workspace_id = ? AND r.seq >
         COALESCE((SELECT h.seq FROM content_count_head h WHERE h.workspace_id = r.workspace_id), 0)`,
      [workspaceId],
    );
    return row !== undefined;
  },

  /** Counts the dismissal of a message, once per decision. */
  async dismiss(tx: Tx, workspaceId: string, decisionId: string): Promise<void> {
    await tx.sql.run(
      `${INTO} SELECT d.workspace_id, ${KEY('d.content_id')}, 0, 0, COUNT(*), 0
       FROM decision d ${ROWS} WHERE d.workspace_id = ? AND d.decision_id = ? ${ADD}`,
      [workspaceId, decisionId],
    );
  },

  /** What each of these contents earned in all, unless it earned nothing yet. */
  async totalsOf(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<Map<string, Counts>> {
    if (ids.length === 0) return new Map();
    const { text, param } = listed(tx.sql.dialect, 'content_id', ids);
    const rows = await tx.sql.all<CountedContent>(`${TOTALS} AND ${text} GROUP BY content_id`, [
      workspaceId,
      param,
    ]);
    return new Map(rows.map(({ contentId, ...counts }) => [contentId, countsOf(counts)]));
  },

  /** What up to `limit` contents after an identifier earned in all, by identifier. */
  async totalsAfter(tx: Tx, workspaceId: string, after: string, limit: number): Promise<CountedContent[]> {
    const rows = await tx.sql.all<CountedContent>(
      `${TOTALS} AND content_id > ? GROUP BY content_id ORDER BY content_id LIMIT ?`,
      [workspaceId, after, limit],
    );
    return rows.map((row) => ({ contentId: row.contentId, ...countsOf(row) }));
  },

  /** What one content, or all (''), earned in all, by what made the choice. */
  async total(
    tx: Tx,
    workspaceId: string,
    contentId: string,
  ): Promise<(Counts & { policy: CountedPolicy })[]> {
    const rows = await tx.sql.all<Counts & { policy: CountedPolicy }>(
      `SELECT policy, served, rewarded, dismissed FROM content_count
       WHERE workspace_id = ? AND width = 0 AND content_id = ?`,
      [workspaceId, contentId],
    );
    return rows.map((row) => ({ policy: row.policy, ...countsOf(row) }));
  },

  /** The buckets of a content, or of all (''), oldest first. */
  async series(tx: Tx, workspaceId: string, contentId: string, step: Step): Promise<CountedBucket[]> {
    const rows = await tx.sql.all<CountedBucket>(
      `SELECT bucket AS "from", policy, served, rewarded, dismissed FROM content_count
       WHERE workspace_id = ? AND width = ? AND content_id = ? AND bucket >= ? ORDER BY bucket, policy`,
      [workspaceId, WIDTHS[step], contentId, tx.now - KEPT_MS[step]],
    );
    return rows.map((row) => ({ from: Number(row.from), policy: row.policy, ...countsOf(row) }));
  },

  /** Deletes up to `limit` buckets that are no longer kept. Returns how many. */
  async purge(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    let removed = 0;
    for (const step of Object.keys(WIDTHS) as Step[])
      removed += await tx.sql.run(
        `WITH taken AS MATERIALIZED
           (SELECT workspace_id, width, content_id, bucket, policy FROM content_count WHERE workspace_id = ? AND width = ? AND bucket < ? LIMIT ?
            ${tx.sql.dialect.skipLocked})
         DELETE FROM content_count WHERE (workspace_id, width, content_id, bucket, policy) IN (SELECT * FROM taken)`,
        [workspaceId, WIDTHS[step], tx.now - KEPT_MS[step] - WIDTHS[step], limit - removed],
      );
    return removed;
  },
};

const countsOf = ({ served, rewarded, dismissed }: Counts): Counts => ({
  served: Number(served),
  rewarded: Number(rewarded),
  dismissed: Number(dismissed),
});
