import { listed } from '../../platform/store/listed.ts';
import type { Tx } from '../../platform/store/store.ts';
import { HOUR_MS } from '../store.ts';
import type { Steps } from './steps.ts';

/** Most counters that are read to find the contents that were served most. */
const MOST_COUNTERS = 20_000;
const DAY_MS = 24 * HOUR_MS;
/** Most counters of attempts that are read: they are more the more subscriptions there are. */
const MOST_ATTEMPT_ROWS = 20_000;

/** What was counted of a content, or of all (''), in an hour or a day, by what made the choice. */
export interface CountedRow {
  readonly contentId: string;
  /** Its beginning, Unix ms. */
  readonly at: number;
  readonly policy: string;
  readonly served: number;
  readonly rewarded: number;
  readonly dismissed: number;
  readonly tried: number;
}

/** Attempts of one class of latency to a subscription in an hour, or in 5 minutes. */
export interface AttemptRow {
  readonly webhookId: string;
  readonly at: number;
  readonly class: number;
  readonly n: number;
}

/** What the charts over time are made of. */
export const trends = {
  /** The contents that were served most in a range. */
  async mostServed(tx: Tx, workspaceId: string, { from, until }: Steps, limit: number): Promise<string[]> {
    const width = until - from > 2 * DAY_MS ? DAY_MS : HOUR_MS;
    const rows = await tx.sql.all<{ contentId: string }>(
      `SELECT content_id AS "contentId" FROM (SELECT content_id, served FROM content_count
         WHERE workspace_id = ? AND width = ? AND bucket >= ? AND bucket < ? AND content_id <> '' LIMIT ?) AS c
       GROUP BY content_id ORDER BY SUM(served) DESC, content_id LIMIT ?`,
      [workspaceId, width, from - (from % width), until, MOST_COUNTERS, limit],
    );
    return rows.map(({ contentId }) => contentId);
  },

  /** What was counted of some contents in a range; '' stands for all. */
  async counts(
    tx: Tx,
    workspaceId: string,
    { from, until, width }: Steps,
    contentIds: readonly string[],
  ): Promise<CountedRow[]> {
    const { text, param } = listed(tx.sql.dialect, 'content_id', contentIds);
    const rows = await tx.sql.all<CountedRow>(
      `SELECT content_id AS "contentId", bucket AS at, policy, served, rewarded, dismissed, tried FROM content_count
       WHERE workspace_id = ? AND width = ? AND ${text} AND bucket >= ? AND bucket < ?`,
      [workspaceId, width, param, from, until],
    );
    return rows.map((row) => ({
      ...row,
      at: Number(row.at),
      served: Number(row.served),
      rewarded: Number(row.rewarded),
      dismissed: Number(row.dismissed),
      tried: Number(row.tried),
    }));
  },

  /** Attempts to deliver of one subscription, or of all, by class and time; the newest MOST_ATTEMPT_ROWS counters. */
  async attempts(
    tx: Tx,
    workspaceId: string,
    { from, until, width }: Pick<Steps, 'from' | 'until' | 'width'>,
    webhookId: string | undefined,
  ): Promise<{ readonly rows: readonly AttemptRow[]; readonly capped: boolean }> {
    const of = webhookId === undefined ? '' : 'AND webhook_id = ?';
    const rows = await tx.sql.all<AttemptRow>(
      `SELECT webhook_id AS "webhookId", at_ms AS at, class, n FROM webhook_performance
       WHERE workspace_id = ? ${of} AND span_ms = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms DESC LIMIT ?`,
      [
        workspaceId,
        ...(webhookId === undefined ? [] : [webhookId]),
        Math.min(width, HOUR_MS),
        from,
        until,
        MOST_ATTEMPT_ROWS,
      ],
    );
    return {
      rows: rows.map((row) => ({ ...row, at: Number(row.at), class: Number(row.class), n: Number(row.n) })),
      capped: rows.length === MOST_ATTEMPT_ROWS,
    };
  },
};
