import type { NamedViolation } from '../../../contract/event-plan.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Cutoffs } from '../../platform/store/retained-logs.ts';
import { deleteSome, insertRows } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import { eventHeads } from './event-heads.ts';

/** How often events of one name did something against the plan, and when last (Unix ms). */
export interface ViolationCount extends NamedViolation {
  /** Of those that were stored. */
  readonly count: number;
  /** Of those that were refused for it. */
  readonly refused: number;
  readonly last: number;
}

const DAY_MS = 86_400_000;
/** For how long counts are kept. */
const VIOLATION_DAYS = 90;
/** Rows of a workspace and day: names come from outside. What has none is counted in the row without a name. */
const MAX_ROWS = 500;
/** Counts that are listed. */
const LISTED = 500;
/** Stands for what has no row of its own; no event has this name. */
const OTHERS = { event: '', property: '', rule: '' } as const;

const keyOf = ({ event, property, rule }: { readonly [K in keyof typeof OTHERS]: string }) =>
  JSON.stringify([event, property, rule]);

/** How often the events of a workspace were not as planned, by day. */
export const eventViolations = {
  /** Counts violations of events that the transaction stores or refuses. It has locked the event head. */
  async add(
    tx: Tx,
    workspaceId: string,
    violations: Iterable<NamedViolation>,
    were: 'stored' | 'refused',
  ): Promise<void> {
    const day = Math.floor(tx.now / DAY_MS);
    const counts = new Map<string, { of: { readonly [K in keyof typeof OTHERS]: string }; count: number }>();
    for (const of of violations) {
      const key = keyOf(of);
      const known = counts.get(key);
      if (known) known.count++;
      else counts.set(key, { of, count: 1 });
    }
    if (counts.size === 0) return;
    const rows = await tx.sql.all<NamedViolation>(
      'SELECT event, property, rule FROM event_violation WHERE workspace_id = ? AND day = ?',
      [workspaceId, day],
    );
    const known = new Set(rows.map(keyOf));
    const others = { of: OTHERS, count: 0 };
    const added = [...counts].flatMap(([key, counted]) => {
      if (known.has(key) || known.size < MAX_ROWS) {
        known.add(key);
        return [counted];
      }
      others.count += counted.count;
      return [];
    });
    if (others.count > 0) added.push(others);
    await insertRows(
      tx,
      'INSERT INTO event_violation (workspace_id, day, event, property, rule, count, refused, last_ms)',
      added.map(({ of, count }) => {
        const counted = were === 'stored' ? [count, 0] : [0, count];
        return [workspaceId, day, of.event, of.property, of.rule, ...counted, tx.now];
      }),
      `ON CONFLICT (workspace_id, day, event, property, rule) DO UPDATE SET
         count = event_violation.count + excluded.count, refused = event_violation.refused + excluded.refused,
         last_ms = excluded.last_ms`,
    );
  },

  /**
   * Subtracts the violations of deleted events from the days on which they were received, Unix ms. What was counted
   * without a name stays.
   */
  async subtract(
    tx: Tx,
    workspaceId: string,
    violations: Iterable<NamedViolation & { readonly receivedAt: number }>,
  ): Promise<void> {
    const counts = new Map<
      string,
      [day: number, event: string, property: string, rule: string, count: number]
    >();
    for (const { receivedAt, event, property, rule } of violations) {
      const day = Math.floor(receivedAt / DAY_MS);
      const key = JSON.stringify([day, event, property, rule]);
      counts.set(key, [day, event, property, rule, (counts.get(key)?.[4] ?? 0) + 1]);
    }
    if (counts.size === 0) return;
    // Ingest locks these rows behind the head, too.
    await eventHeads.lock(tx, workspaceId);
    for (const [day, event, property, rule, count] of counts.values()) {
      const params = [workspaceId, day, event, property, rule];
      await pipeline([
        tx.sql.run(
          `UPDATE event_violation SET count = count - ?
           WHERE workspace_id = ? AND day = ? AND event = ? AND property = ? AND rule = ?`,
          [count, ...params],
        ),
        tx.sql.run(
          `DELETE FROM event_violation
           WHERE workspace_id = ? AND day = ? AND event = ? AND property = ? AND rule = ? AND count <= 0 AND refused = 0`,
          params,
        ),
      ]);
    }
  },

  /** The counts of the last days, today included, the highest first, and the sums of what is not listed. */
  async list(
    tx: Tx,
    workspaceId: string,
    days: number,
  ): Promise<{ counts: ViolationCount[]; others: number; othersRefused: number }> {
    const from = Math.floor(tx.now / DAY_MS) - days + 1;
    const rows = await tx.sql.all<ViolationCount>(
      `SELECT event, property, rule, SUM(count) AS count, SUM(refused) AS refused, MAX(last_ms) AS last
       FROM event_violation
       WHERE workspace_id = ? AND day >= ? AND event <> ? GROUP BY event, property, rule
       ORDER BY SUM(count) + SUM(refused) DESC, event, property, rule LIMIT ${LISTED}`,
      [workspaceId, from, OTHERS.event],
    );
    const all = await tx.sql.get<Pick<ViolationCount, 'count' | 'refused'>>(
      `SELECT COALESCE(SUM(count), 0) AS count, COALESCE(SUM(refused), 0) AS refused
       FROM event_violation WHERE workspace_id = ? AND day >= ?`,
      [workspaceId, from],
    );
    const counts = rows.map((row) => ({
      ...row,
      count: Number(row.count),
      refused: Number(row.refused),
      last: Number(row.last),
    }));
    const rest = (of: 'count' | 'refused') =>
      Number(all![of]) - counts.reduce((sum, each) => sum + each[of], 0);
    return { counts, others: rest('count'), othersRefused: rest('refused') };
  },

  /** Removes up to `limit` counts of days that are long past, or whose events are all removed; returns how many. */
  purge: (tx: Tx, workspaceId: string, limit: number, { events }: Cutoffs): Promise<number> =>
    deleteSome(
      tx,
      workspaceId,
      { table: 'event_violation', key: 'day, event, property, rule' },
      'day < ?',
      [Math.floor(Math.max(tx.now - VIOLATION_DAYS * DAY_MS, events ?? 0) / DAY_MS)],
      limit,
    ),
};
