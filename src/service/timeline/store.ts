import { MAX_DAILY_CONTACTS } from '../../contract/limits.ts';
import type { TimelineEntry } from '../../contract/schemas.ts';
import type { HistoryEntry, NotificationRow } from '../notifications/store/notification-rows.ts';
import { readPage } from '../platform/store/pages.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import type { SqlValue, Tx } from '../platform/store/store.ts';
import type { Position, SourcePage, Timed } from './timeline.ts';

/** An entry of a timeline without its time, which `at` has in Unix ms. */
export type TimelineRow = Timed & Omit<TimelineEntry, 'at'>;

/** What of a source is read: from a position on, before a time (Unix ms). */
export interface Part {
  readonly from: Position | undefined;
  readonly until: number;
  readonly limit: number;
}

/** Events that are looked through for names that no rule counts. */
const TAIL = 5_000;

/** The window of the event log in which events of any name are found: numbers in (`after`, `upTo`]. */
export interface Tail {
  readonly after: number;
  readonly upTo: number;
}
/** The window that ends with the event `upTo`. */
export const tailOf = (upTo: number): Tail => ({ after: Math.max(0, upTo - TAIL), upTo });

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** The condition for the entries of a source from a position on, ordered by time and then by `id`, and its values. */
function afterCursor(time: string, id: string, { from, until }: Part): { text: string; params: SqlValue[] } {
  const after = from ? ` AND ${time} <= ? AND (${time} < ? OR ${id} ${from.inclusive ? '>=' : '>'} ?)` : '';
  return { text: ` AND ${time} < ?${after}`, params: [until, ...(from ? [from.at, from.at, from.id] : [])] };
}

/** What happened to a user, by kind, newest first: each is read by an index by user. */
export const timelines = {
  /** In the order of the log. */
  async decision(tx: Tx, workspaceId: string, hashId: string, part: Part): Promise<SourcePage<TimelineRow>> {
    const { from, until, limit } = part;
    const seq = from ? ` AND seq ${from.inclusive ? '<=' : '<'} ?` : '';
    const { rows, more } = await readPage<{
      seq: number;
      at: number;
      id: string;
      context: string;
      contentId: string | null;
      policy: string | null;
      reward: number | null;
      countedAt: number | null;
      outcome: string | null;
    }>(tx, {
      columns: `seq, at_ms AS at, decision_id AS id, context, content_id AS "contentId", policy,
        COALESCE(reward, earned) AS reward, counted_at AS "countedAt", outcome`,
      long: ['context', 'content_id'],
      from: `decision WHERE workspace_id = ? AND hash_id = ? AND at_ms < ?${seq}`,
      params: [workspaceId, hashId, until, ...(from ? [Number(from.id)] : [])],
      order: 'seq DESC',
      limit,
    });
    return {
      more,
      rows: rows.map(({ seq, at, id, context, contentId, policy, reward, countedAt, outcome }) => ({
        kind: 'decision',
        at,
        key: String(seq),
        id,
        contentId,
        context: JSON.parse(context),
        policy: policy ?? 'learned',
        reward: reward ?? (countedAt === null ? null : 0),
        ...(outcome === null ? {} : { outcome }),
      })),
    };
  },

  async message(tx: Tx, workspaceId: string, hashId: string, part: Part): Promise<SourcePage<TimelineRow>> {
    const { text, params } = afterCursor('at_ms', 'decision_id', part);
    const { rows, more } = await readPage<{
      at: number;
      id: string;
      contentId: string;
      title: string;
      format: string;
      channel: string | null;
      surface: string | null;
      servedAt: number | null;
    }>(tx, {
      columns: `at_ms AS at, decision_id AS id, content_id AS "contentId", title, format, channel, surface,
        served_at AS "servedAt"`,
      long: ['content_id', 'title', 'channel', 'surface'],
      from: `message WHERE workspace_id = ? AND hash_id = ? AND withdraw_at > ?${text}`,
      params: [workspaceId, hashId, tx.now, ...params],
      order: 'at_ms DESC, decision_id',
      limit: part.limit,
    });
    return {
      more,
      rows: rows.map(({ at, servedAt, ...row }) => ({
        kind: 'message',
        ...row,
        at,
        key: row.id,
        servedAt: iso(servedAt),
      })),
    };
  },

  async outcome(tx: Tx, workspaceId: string, hashId: string, part: Part): Promise<SourcePage<TimelineRow>> {
    const { text, params } = afterCursor('at_ms', `(id || '/' || type)`, part);
    const { rows, more } = await readPage<{
      at: number;
      id: string;
      of: 'message' | 'notification';
      outcome: string;
      contentId: string | null;
      templateId: string | null;
    }>(tx, {
      columns: `at_ms AS at, id, kind AS "of", type AS outcome,
        (SELECT d.content_id FROM decision d
          WHERE d.workspace_id = outcome.workspace_id AND d.decision_id = outcome.id) AS "contentId",
        (SELECT n.template_id FROM notification n
          WHERE n.workspace_id = outcome.workspace_id AND n.notification_id = outcome.id) AS "templateId"`,
      long: ['id'],
      from: `outcome WHERE workspace_id = ? AND hash_id = ?${text}`,
      params: [workspaceId, hashId, ...params],
      order: `at_ms DESC, (id || '/' || type)`,
      limit: part.limit,
    });
    return {
      more,
      rows: rows.map(({ at, contentId, templateId, ...row }) => ({
        kind: 'outcome',
        ...row,
        ...(contentId === null ? {} : { contentId }),
        ...(templateId === null ? {} : { templateId }),
        at,
        key: `${row.id}/${row.outcome}`,
      })),
    };
  },

  async notification(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    part: Part,
  ): Promise<SourcePage<TimelineRow>> {
    const { text, params } = afterCursor('created_at', 'notification_id', part);
    const { rows, more } = await readPage<
      Pick<NotificationRow, 'templateId' | 'channel' | 'priority' | 'status' | 'history' | 'failure'> & {
        at: number;
        id: string;
        heldUntil: number | null;
      }
    >(tx, {
      columns: `created_at AS at, notification_id AS id, template_id AS "templateId", channel, priority, status,
        history, failure, CASE WHEN status = 'held' THEN due_at END AS "heldUntil"`,
      long: ['template_id', 'history', 'failure'],
      from: `notification WHERE workspace_id = ? AND hash_id = ?${text}`,
      params: [workspaceId, hashId, ...params],
      order: 'created_at DESC, notification_id',
      limit: part.limit,
    });
    return {
      more,
      rows: rows.map((row) => {
        const { at, failure, heldUntil, history, ...rest } = row;
        const last = (JSON.parse(history) as HistoryEntry[]).at(-1);
        const reason = failure ?? last?.reason;
        return {
          kind: 'notification',
          ...rest,
          at,
          key: rest.id,
          ...(reason === undefined ? {} : { reason }),
          ...(heldUntil === null ? {} : { heldUntil: new Date(heldUntil).toISOString() }),
        };
      }),
    };
  },

  /**
   * The events of a user with these names, by the index of recent events, and those of any name among the newest of
   * the workspace. The log of events has no index by user.
   */
  async event(
    tx: Tx,
    workspaceId: string,
    userId: string,
    part: Part,
    names: readonly string[],
    tail: Tail,
  ): Promise<SourcePage<TimelineRow>> {
    const { from, until, limit } = part;
    const to = from
      ? { at: from.at, number: Number(from.id) - (from.inclusive ? 0 : 1) }
      : { at: until - 1, number: Number.MAX_SAFE_INTEGER };
    const counted = await pipeline(
      names.map((event) => recent(tx, workspaceId, { userId, event }, to, limit + 1)),
    );
    const others = await tx.sql.all<{ number: number; event: string; timestamp: string }>(
      `SELECT number, event, timestamp FROM event
       WHERE workspace_id = ? AND number > ? AND number <= ? AND user_id = ?`,
      [workspaceId, tail.after, tail.upTo, userId],
    );
    const known = new Set(names);
    const found = [
      ...counted.flat(),
      ...others
        .filter(({ event }) => !known.has(event))
        .map(({ number, event, timestamp }) => ({
          number,
          event,
          at: Date.parse(timestamp),
        })),
    ]
      .filter(({ at, number }) => at < to.at || (at === to.at && number <= to.number))
      .sort((a, b) => b.at - a.at || b.number - a.number);
    return {
      more: found.length > limit,
      rows: found.slice(0, limit).map(({ number, event, at }) => ({
        kind: 'event',
        at,
        key: String(number),
        id: String(number),
        event,
      })),
    };
  },

  /** How many of the contacts of a user in [`start`, `end`), Unix ms, did not reach the user: they failed, or still wait. */
  async unreached(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    { start, end }: { readonly start: number; readonly end: number },
  ): Promise<{ failed: number; waiting: number }> {
    const row = await tx.sql.get<{ failed: number | null; waiting: number | null }>(
      `SELECT SUM(CASE WHEN n.status = 'failed' THEN 1 ELSE 0 END) AS failed,
         SUM(CASE WHEN n.status IN ('queued', 'held') OR (m.decision_id IS NOT NULL AND m.served_at IS NULL)
           THEN 1 ELSE 0 END) AS waiting
       FROM (SELECT id, kind FROM contact
         WHERE workspace_id = ? AND hash_id = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms LIMIT ?) AS c
       LEFT JOIN notification AS n ON n.workspace_id = ? AND n.notification_id = c.id AND c.kind = 'notification'
       LEFT JOIN message AS m ON m.workspace_id = ? AND m.decision_id = c.id AND c.kind = 'decision'`,
      [workspaceId, hashId, start, end, MAX_DAILY_CONTACTS, workspaceId, workspaceId],
    );
    return { failed: Number(row?.failed ?? 0), waiting: Number(row?.waiting ?? 0) };
  },

  /** When the oldest event of the tail was received; null if the workspace has no event before the tail. */
  async tailSince(tx: Tx, workspaceId: string, { after, upTo }: Tail): Promise<string | null> {
    if (after === 0) return null;
    const row = await tx.sql.get<{ at: number }>(
      `SELECT received_at AS at FROM event WHERE workspace_id = ? AND number > ? AND number <= ?
       ORDER BY number LIMIT 1`,
      [workspaceId, after, upTo],
    );
    return row === undefined ? null : iso(row.at);
  },
};

/** Per engine: the newest events of a user and name from a place on (see recent-events.ts for the comparison of rows). */
const RECENT = {
  sqlite: `SELECT number, at_ms AS at FROM recent_event
    WHERE workspace_id = ? AND user_id = ? AND event = ? AND (at_ms, number) <= (?, ?)
    ORDER BY at_ms DESC, number DESC LIMIT ?`,
  postgres: `SELECT number, at_ms AS at FROM recent_event
    WHERE (workspace_id, user_id, event) >= (?, ?, ?)
      AND (workspace_id, user_id, event, at_ms, number) <= (?, ?, ?, ?, ?)
    ORDER BY workspace_id DESC, user_id DESC, event DESC, at_ms DESC, number DESC LIMIT ?`,
} as const;

async function recent(
  tx: Tx,
  workspaceId: string,
  { userId, event }: { readonly userId: string; readonly event: string },
  to: { readonly at: number; readonly number: number },
  limit: number,
): Promise<{ number: number; event: string; at: number }[]> {
  const engine = tx.sql.dialect.name;
  const user = [workspaceId, userId, event];
  const rows = await tx.sql.all<{ number: number; at: number }>(RECENT[engine], [
    ...user,
    ...(engine === 'postgres' ? user : []),
    to.at,
    to.number,
    limit,
  ]);
  return rows.map(({ number, at }) => ({ number, event, at }));
}
