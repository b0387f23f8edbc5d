import { deleteSome, rowsQuery } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import { type AttemptCount, classOf, type Performance, performanceOf } from '../rules/performance.ts';

const HOUR_MS = 3_600_000;
/** Lengths of the parts of time in which attempts are counted, in ms: short ones for the last hour only. */
export const SHORT_MS = 300_000;
const LONG_MS = HOUR_MS;

/** The periods that answers have, in ms. Each begins with a part of time. */
const PERIODS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;

/** How the attempts of a subscription went, by period. */
export type PerformanceByPeriod = Readonly<Record<keyof typeof PERIODS, Performance>>;

/** The beginning of the part of time around a time, Unix ms. */
const partOf = (at: number, span: number) => at - (at % span);

/**
 * How the deliveries of subscriptions went: attempts by part of time and class, in the transaction that stores the
 * attempt, for all nodes together. It stays when deliveries are removed, and is bounded: a subscription has at most 13
 * short parts and 169 long ones.
 */
export const performance = {
  /** Counts attempts. */
  add(
    tx: Tx,
    workspaceId: string,
    webhookId: string,
    attempts: readonly { readonly status: number | null; readonly durationMs: number }[],
  ): Promise<number> {
    const counts = new Map<number, number>();
    for (const each of attempts) counts.set(classOf(each), (counts.get(classOf(each)) ?? 0) + 1);
    // In one order everywhere, so that transactions cannot deadlock.
    const inOrder = [...counts].sort(([a], [b]) => a - b);
    const rows = [SHORT_MS, LONG_MS].flatMap((span) =>
      inOrder.map(([each, n]) => [span, partOf(tx.now, span), each, n]),
    );
    const { text, param } = rowsQuery(tx.sql.dialect, rows);
    return tx.sql.run(
      `WITH v AS MATERIALIZED (${text})
       INSERT INTO webhook_performance (workspace_id, webhook_id, span_ms, at_ms, class, n)
       SELECT ?, ?, CAST(c0 AS integer), CAST(c1 AS bigint), CAST(c2 AS integer), CAST(c3 AS integer) FROM v WHERE true
       ON CONFLICT (workspace_id, webhook_id, span_ms, at_ms, class) DO UPDATE SET
         n = webhook_performance.n + excluded.n`,
      [param, workspaceId, webhookId],
    );
  },

  /** How the attempts of a subscription went. */
  async of(tx: Tx, workspaceId: string, webhookId: string): Promise<PerformanceByPeriod> {
    const short = partOf(tx.now - PERIODS.hour, SHORT_MS);
    const rows = await tx.sql.all<AttemptCount & { span: number; at: number }>(
      `SELECT span_ms AS span, at_ms AS at, class, n FROM webhook_performance WHERE workspace_id = ? AND webhook_id = ?
         AND ((span_ms = ? AND at_ms >= ?) OR (span_ms = ? AND at_ms >= ?))`,
      [workspaceId, webhookId, SHORT_MS, short, LONG_MS, partOf(tx.now - PERIODS.week, LONG_MS)],
    );
    const long = rows.filter(({ span }) => span === LONG_MS);
    const day = partOf(tx.now - PERIODS.day, LONG_MS);
    return {
      hour: performanceOf(rows.filter(({ span }) => span === SHORT_MS)),
      day: performanceOf(long.filter(({ at }) => at >= day)),
      week: performanceOf(long),
    };
  },

  /** Deletes up to `limit` counts that no period has any more. Returns how many. */
  async purge(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    const table = { table: 'webhook_performance', key: 'webhook_id, span_ms, at_ms, class' };
    let removed = 0;
    for (const [span, kept] of [
      [SHORT_MS, PERIODS.hour],
      [LONG_MS, PERIODS.week],
    ] as const)
      removed += await deleteSome(
        tx,
        workspaceId,
        table,
        'span_ms = ? AND at_ms < ?',
        [span, partOf(tx.now - kept, span)],
        limit - removed,
      );
    return removed;
  },
};
