import type { Cutoffs } from '../../platform/store/retained-logs.ts';
import { removals } from '../../platform/store/retention/removals.ts';
import { deleteSome, insertRows, rowsQuery } from '../../platform/store/rows.ts';
import { settings } from '../../platform/store/settings.ts';
import type { Tx } from '../../platform/store/store.ts';

export interface RecentEvent {
  /** The number of the event in its workspace. */
  readonly number: number;
  readonly userId: string;
  readonly event: string;
  /** Unix ms. */
  readonly at: number;
}

/** A time window up to now in which a user's events of one name are counted. */
export interface EventSpan {
  readonly key: string;
  readonly event: string;
  /** Unix ms. */
  readonly since: number;
  /** The count at which counting may stop. */
  readonly enough: number;
}

/** The event names to index in all workspaces. */
export interface SharedIndex {
  readonly names: readonly string[];
  /** The last workspace that was marked for a change of the names; undefined if all are. */
  readonly marked?: string | undefined;
}

/** The events of a workspace, stored before these names were indexed, that have yet to be: (`after`, `upTo`]. */
export interface Backlog {
  readonly names: readonly string[];
  readonly after: number;
  readonly upTo: number;
}

/** Retention of index entries. The rules of a catalog may look back 365 days. */
const RETENTION_MS = 366 * 86_400_000;

const INDEX = 'eventIndex';

const RECENT_EVENT = { table: 'recent_event', key: 'user_id, event, at_ms, number' };

/** Event names per statement. */
const NAMES_PER_QUERY = 16;

/**
 * Selects the newest events of a user and name, up to a limit. PostgreSQL drops columns that equal a constant from an
 * ORDER BY and then prefers the index by age, which holds the events of all users: compared as rows they stay (and see
 * settings.ts).
 */
const NEWEST = {
  sqlite: `SELECT at_ms FROM recent_event
    WHERE workspace_id = ? AND user_id = ? AND event = ? AND at_ms >= ? AND at_ms <= ? ORDER BY at_ms DESC LIMIT ?`,
  postgres: `SELECT at_ms FROM recent_event
    WHERE (workspace_id, user_id, event, at_ms) >= (?, ?, ?, ?) AND (workspace_id, user_id, event, at_ms) <= (?, ?, ?, ?)
    ORDER BY workspace_id DESC, user_id DESC, event DESC, at_ms DESC LIMIT ?`,
} as const;

/** What the windows of one event name read together: the longest of them, up to the highest `enough`. */
type Reach = Omit<EventSpan, 'key'>;

/** The events that catalog rules use, by user. The event log itself has no index by user. */
export const recentEvents = {
  async shared(tx: Tx): Promise<SharedIndex> {
    return (await settings.get<SharedIndex>(tx, INDEX)) ?? { names: [] };
  },

  async setShared(tx: Tx, index: SharedIndex): Promise<void> {
    await settings.set(tx, INDEX, index);
  },

  async backlog(tx: Tx, workspaceId: string): Promise<Backlog | undefined> {
    const row = await tx.sql.get<{ names: string; after: number; upTo: number }>(
      'SELECT names, after_number AS after, up_to AS "upTo" FROM event_backlog WHERE workspace_id = ?',
      [workspaceId],
    );
    return row && { ...row, names: JSON.parse(row.names) };
  },

  async setBacklog(tx: Tx, workspaceId: string, backlog: Backlog | undefined): Promise<void> {
    if (!backlog) {
      await tx.sql.run('DELETE FROM event_backlog WHERE workspace_id = ?', [workspaceId]);
      return;
    }
    await tx.sql.run(
      `INSERT INTO event_backlog (workspace_id, names, after_number, up_to) VALUES (?, ?, ?, ?)
       ON CONFLICT (workspace_id) DO UPDATE SET names = excluded.names, after_number = excluded.after_number,
         up_to = excluded.up_to`,
      [workspaceId, JSON.stringify(backlog.names), backlog.after, backlog.upTo],
    );
  },

  /** Deletes up to `limit` index entries of a name. Returns how many. */
  forget: (tx: Tx, workspaceId: string, name: string, limit: number): Promise<number> =>
    deleteSome(tx, workspaceId, RECENT_EVENT, 'event = ?', [name], limit),

  /** Waits until nobody else indexes events of a workspace that were stored before, and keeps others from it. */
  lockIndexing: (tx: Tx, workspaceId: string): Promise<void> => tx.lock(`event index ${workspaceId}`),

  /** Removes the index entries of events. */
  async remove(
    tx: Tx,
    workspaceId: string,
    removed: readonly { number: number; userId: string; event: string; timestamp: string }[],
  ): Promise<void> {
    const { text, param } = rowsQuery(
      tx.sql.dialect,
      removed.map(({ number, userId, event, timestamp }) => [userId, event, Date.parse(timestamp), number]),
    );
    await tx.sql.run(
      `WITH v AS MATERIALIZED (${text}) DELETE FROM recent_event WHERE workspace_id = ? AND (user_id, event, at_ms, number) IN
         (SELECT c0, c1, CAST(c2 AS BIGINT), CAST(c3 AS BIGINT) FROM v)`,
      [param, workspaceId],
    );
  },

  /** Adds index entries. One that exists stays: ingest and the indexer may both add it. */
  add: (tx: Tx, workspaceId: string, events: readonly RecentEvent[]): Promise<number> =>
    insertRows(
      tx,
      'INSERT INTO recent_event (workspace_id, user_id, event, at_ms, number)',
      events.map(({ number, userId, event, at }) => [workspaceId, userId, event, at, number]),
      'ON CONFLICT DO NOTHING',
    ),

  /**
   * Counts a user's indexed events in each window, by its key. The windows of an event name share one read of its newest
   * events, which stops at the highest `enough`: the cost does not grow with the number of events or windows.
   */
  async count(
    tx: Tx,
    workspaceId: string,
    userId: string,
    windows: readonly EventSpan[],
  ): Promise<Map<string, number>> {
    const reaches = reachesOf(windows);
    const times = new Map<string, Float64Array>();
    for (let from = 0; from < reaches.length; from += NAMES_PER_QUERY) {
      const part = reaches.slice(from, from + NAMES_PER_QUERY);
      const read = await readTimes(tx, workspaceId, userId, part);
      part.forEach(({ event }, i) => void times.set(event, read[i]!));
    }
    return new Map(
      windows.map(({ key, event, since, enough }) => {
        const newer = countFrom(times.get(event)!, since);
        return [key, Math.min(newer, enough)];
      }),
    );
  },

  /**
   * Deletes up to `limit` entries that are too old for any rule, and those of removed events whose time is still to come.
   * Returns how many.
   */
  async purge(tx: Tx, workspaceId: string, limit: number, { events }: Cutoffs): Promise<number> {
    const purge = (where: string, params: readonly number[]) =>
      deleteSome(tx, workspaceId, RECENT_EVENT, where, params, limit);
    const old = await purge('at_ms < ?', [Math.max(tx.now - RETENTION_MS, events ?? 0)]);
    const removed = events === null ? undefined : await removals.of(tx, workspaceId, 'events');
    if (!removed) return old;
    return Math.max(old, await purge('at_ms > ? AND number <= ?', [tx.now, removed.number]));
  },
};

/** The times of the newest events within each reach, ascending. */
async function readTimes(
  tx: Tx,
  workspaceId: string,
  userId: string,
  reaches: readonly Reach[],
): Promise<Float64Array[]> {
  const { name: engine } = tx.sql.dialect;
  const row = await tx.sql.get<Record<string, string | null>>(
    `SELECT ${reaches
      .map((_, i) => `(SELECT string_agg(CAST(at_ms AS TEXT), ',') FROM (${NEWEST[engine]}) AS e) AS t${i}`)
      .join(', ')}`,
    reaches.flatMap(({ event, since, enough }) => {
      const user = [workspaceId, userId, event];
      // A rule may name a fraction of a day.
      return [...user, Math.ceil(since), ...(engine === 'postgres' ? user : []), tx.now, enough];
    }),
  );
  return reaches.map((_, i) => {
    const text = row![`t${i}`];
    return text ? Float64Array.from(text.split(','), Number).sort() : new Float64Array();
  });
}

/** The number of times from `since` on. */
function countFrom(times: Float64Array, since: number): number {
  let low = 0;
  for (let high = times.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (times[middle]! < since) low = middle + 1;
    else high = middle;
  }
  return times.length - low;
}

function reachesOf(windows: readonly EventSpan[]): Reach[] {
  const reaches = new Map<string, Reach>();
  for (const { event, since, enough } of windows) {
    const known = reaches.get(event);
    reaches.set(event, {
      event,
      since: Math.min(since, known?.since ?? since),
      enough: Math.max(enough, known?.enough ?? 0),
    });
  }
  return [...reaches.values()];
}
