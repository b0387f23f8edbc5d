import { pipeline } from '../platform/store/pipeline.ts';
import type { Tx } from '../platform/store/store.ts';

export const HOUR_MS = 3_600_000;
/** Hours that an overview looks back, each a column of its charts. */
export const HOURS = 24;
/** Most rows that are counted for an hour or a state: the cost of an overview is bounded. */
export const MOST_COUNTED = 20_000;

/** Messages that wait of which the contents are counted. */
const MOST_WAITING = 5_000;

/** Counts by hour, the oldest first. */
export type Hourly = readonly number[];

interface HourCount {
  readonly hour: number;
  readonly n: number;
}

/**
 * The newest number before a time, found by halving: numbers rise with the time. No statement reads more than one row for
 * each power of two below `head`.
 */
const numberBefore = (log: 'event' | 'decision', number: string, at: string) => `WITH RECURSIVE search AS (
    SELECT CAST(0 AS BIGINT) AS position, CAST(? AS BIGINT) AS step
    UNION ALL
    SELECT position + CASE WHEN COALESCE((SELECT l.${at} FROM ${log} l WHERE l.workspace_id = ?
      AND l.${number} <= position + step ORDER BY l.${number} DESC LIMIT 1), 0) < ? THEN step ELSE 0 END, step / 2
    FROM search WHERE step > 0)
  SELECT position FROM search WHERE step = 0`;
export const EVENT_BEFORE = numberBefore('event', 'number', 'received_at');
export const DECISION_BEFORE = numberBefore('decision', 'seq', 'at_ms');

/** Where hours begin: SQLite binds numbers as real ones, whose division has a fraction. */
const START = 'CAST(? AS BIGINT)';

/** Counts rows of one state by the hour since a time, the newest MOST_COUNTED of them. */
const stateByHour = (table: 'notification' | 'delivery', at: string) =>
  `SELECT (${at} - ${START}) / ${HOUR_MS} AS hour, COUNT(*) AS n FROM (SELECT ${at} FROM ${table}
     WHERE workspace_id = ? AND status = ? AND ${at} >= ? ORDER BY ${at} DESC LIMIT ?) AS c
   GROUP BY 1`;
const NOTIFICATIONS_BY_HOUR = stateByHour('notification', 'created_at');
const DELIVERIES_BY_HOUR = stateByHour('delivery', 'occurred_at');

async function countState(
  tx: Tx,
  counting: string,
  { workspaceId, status, from }: { workspaceId: string; status: string; from: number },
): Promise<Hourly> {
  return byHour(await tx.sql.all<HourCount>(counting, [from, workspaceId, status, from, MOST_COUNTED]));
}

/** The number of the newest decision; 0 before the first. */
export async function newestDecision(tx: Tx, workspaceId: string): Promise<number> {
  const row = await tx.sql.get<{ seq: number }>(
    'SELECT seq FROM decision WHERE workspace_id = ? ORDER BY seq DESC LIMIT 1',
    [workspaceId],
  );
  return Number(row?.seq ?? 0);
}

/** The positions in a log at some times; at Infinity, its end. */
export async function positionsAt(
  tx: Tx,
  search: string,
  { workspaceId, head, times }: { workspaceId: string; head: number; times: readonly number[] },
): Promise<number[]> {
  const largest = head < 1 ? 1 : 2 ** Math.floor(Math.log2(head));
  const rows = await pipeline(
    times.map((at) => at < Infinity && tx.sql.get<{ position: number }>(search, [largest, workspaceId, at])),
  );
  return rows.map((row) => (row ? Math.min(Number(row.position), head) : head));
}

/** The beginnings of the hours since a time, and the end of the last, which has what arrives meanwhile. */
export const hoursSince = (from: number): number[] => [
  ...Array.from({ length: HOURS }, (_, hour) => from + hour * HOUR_MS),
  Infinity,
];

/** Adds counts to their hours. */
export function byHour(rows: readonly HourCount[]): number[] {
  const hours = new Array<number>(HOURS).fill(0);
  for (const { hour, n } of rows) hours[Math.min(Math.max(Number(hour), 0), HOURS - 1)]! += Number(n);
  return hours;
}

/** What happened in a workspace in the last hours, read at a cost that does not depend on how much it was. */
export const overviews = {
  /**
   * Events received between each two of these times, by their numbers: those that were removed meanwhile count too. `head`
   * is the newest one.
   */
  async events(tx: Tx, workspaceId: string, head: number, times: readonly number[]): Promise<number[]> {
    const positions = await positionsAt(tx, EVENT_BEFORE, { workspaceId, head, times });
    return positions.slice(1).map((position, i) => Math.max(0, position - positions[i]!));
  },

  /** Decisions made between each two of these times, each counted up to MOST_COUNTED. */
  async decisions(tx: Tx, workspaceId: string, times: readonly number[]): Promise<number[]> {
    const head = await newestDecision(tx, workspaceId);
    if (head === 0) return new Array(times.length - 1).fill(0);
    const place = { workspaceId, head, times };
    const positions = await positionsAt(tx, DECISION_BEFORE, place);
    const rows = await pipeline(
      positions.slice(1).map((position, hour) =>
        tx.sql.get<{ n: number }>(
          `SELECT COUNT(*) AS n FROM (SELECT seq FROM decision
             WHERE workspace_id = ? AND seq > ? AND seq <= ? LIMIT ?) AS c`,
          [workspaceId, positions[hour]!, position, MOST_COUNTED],
        ),
      ),
    );
    return rows.map((row) => Number(row!.n));
  },

  /** Notifications of one state by the hour in which they were triggered, the newest MOST_COUNTED of them. */
  notifications: (tx: Tx, workspaceId: string, status: string, from: number): Promise<Hourly> =>
    countState(tx, NOTIFICATIONS_BY_HOUR, { workspaceId, status, from }),

  /** Deliveries of one state by the hour of their occasion, the newest MOST_COUNTED of them. */
  deliveries: (tx: Tx, workspaceId: string, status: string, from: number): Promise<Hourly> =>
    countState(tx, DELIVERIES_BY_HOUR, { workspaceId, status, from }),

  /** Outcomes of messages of one type by hour, of the newest MOST_COUNTED outcomes. */
  async outcomes(tx: Tx, workspaceId: string, from: number): Promise<(HourCount & { type: string })[]> {
    return tx.sql.all<HourCount & { type: string }>(
      `SELECT type, (at_ms - ${START}) / ${HOUR_MS} AS hour, COUNT(*) AS n FROM (SELECT type, at_ms FROM outcome
         WHERE workspace_id = ? AND kind = 'message' AND at_ms >= ? ORDER BY at_ms DESC LIMIT ?) AS c
       GROUP BY 1, 2`,
      [from, workspaceId, from, MOST_COUNTED],
    );
  },

  /** The messages that wait by content, of MOST_WAITING of them, the most first. */
  async waiting(tx: Tx, workspaceId: string): Promise<{ contentId: string; unseen: number; seen: number }[]> {
    const rows = await tx.sql.all<{ contentId: string; n: number; seen: number }>(
      `SELECT content_id AS "contentId", COUNT(*) AS n, COUNT(served_at) AS seen FROM (SELECT content_id, served_at
         FROM message WHERE workspace_id = ? LIMIT ${MOST_WAITING}) AS m
       GROUP BY content_id ORDER BY n DESC, content_id`,
      [workspaceId],
    );
    return rows.map(({ contentId, n, seen }) => ({
      contentId,
      unseen: Number(n) - Number(seen),
      seen: Number(seen),
    }));
  },

  /** What was counted of all contents since the beginning of an hour (UTC), by hour and by what made the choice. */
  async counted(
    tx: Tx,
    workspaceId: string,
    from: number,
  ): Promise<{ bucket: number; policy: string; served: number; rewarded: number }[]> {
    const rows = await tx.sql.all<{ bucket: number; policy: string; served: number; rewarded: number }>(
      `SELECT bucket, policy, served, rewarded FROM content_count
       WHERE workspace_id = ? AND width = ${HOUR_MS} AND content_id = '' AND bucket >= ?`,
      [workspaceId, from],
    );
    return rows.map((row) => ({
      ...row,
      bucket: Number(row.bucket),
      served: Number(row.served),
      rewarded: Number(row.rewarded),
    }));
  },

  /** Which kinds of data the workspace has at all. */
  async present(tx: Tx, workspaceId: string): Promise<{ users: boolean; webhooks: boolean }> {
    const [user, webhook] = await pipeline([
      tx.sql.get('SELECT hash_id FROM app_user WHERE workspace_id = ? LIMIT 1', [workspaceId]),
      tx.sql.get('SELECT webhook_id FROM webhook WHERE workspace_id = ? LIMIT 1', [workspaceId]),
    ]);
    return { users: user !== undefined, webhooks: webhook !== undefined };
  },
};
