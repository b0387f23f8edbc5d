import { due } from '../../platform/store/due.ts';
import { listed } from '../../platform/store/listed.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';
import { NEW_SERIES_IF_ENDED } from './attempts.ts';
import { manyDue, PAUSE_MS, PER_ROUND } from './catch-up.ts';
import { MAX_COUNTED } from './outcome-log.ts';

/** Deliveries that one transaction looks at for a subscription, and makes due at most. */
const PIECE = 256;
/** More follow once no more than this are due: as many as a quick receiver has claimed. */
const MAX_DUE = 128;
/** How often a second a limited rate is filled up. */
const PIECES_PER_SECOND = 20;

/** Which deliveries are sent again, by their states: those that were given up, also those that wait for a retry, or all. */
const STATES = {
  failed: "('failed')",
  undelivered: "('failed', 'pending')",
  all: "('failed', 'pending', 'delivered')",
} as const;
type States = keyof typeof STATES;

/** Deliveries that have ended or wait for a later attempt, not those that are sent now anyway. Has the time as a parameter. */
const IS_AT_REST = '(due_at IS NULL OR (due_at > ? AND claimed = 0))';

/** Which deliveries of a subscription are sent again. Times are Unix ms. */
export interface Redelivered {
  readonly since: number;
  readonly status: States;
  /** Kinds of event; undefined for all. */
  readonly kinds: readonly string[] | undefined;
}

/** Deliveries of a subscription that are sent again. Times are Unix ms. */
export interface Redelivery extends Redelivered {
  /** Deliveries a second at most; null without a limit. */
  readonly rate: number | null;
  readonly startedAt: number;
  /** How many there were at the start, counted up to MAX_COUNTED. */
  readonly matched: number;
  readonly queued: number;
  /** Null while it is running. */
  readonly endedAt: number | null;
}

interface Row {
  readonly webhookId: string;
  readonly at: number;
  readonly id: string;
  readonly until: number;
  readonly status: States;
  readonly kinds: string | null;
  readonly rate: number | null;
}

/** The deliveries of subscriptions that are sent again, many at a time: in order of occurrence, behind new ones. */
export const redeliveries = {
  /** Counts the deliveries that would be sent again, up to MAX_COUNTED. */
  async count(tx: Tx, workspaceId: string, webhookId: string, which: Redelivered): Promise<number> {
    const kinds = which.kinds && listed(tx.sql.dialect, 'kind', which.kinds);
    const params: SqlValue[] = [workspaceId, webhookId, which.since, tx.now];
    if (kinds) params.push(kinds.param);
    const row = await tx.sql.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM delivery WHERE workspace_id = ? AND webhook_id = ? AND occurred_at >= ?
         AND status IN ${STATES[which.status]} AND ${IS_AT_REST} ${kinds ? `AND ${kinds.text}` : ''}
         LIMIT ?) AS d`,
      [...params, MAX_COUNTED],
    );
    return Number(row!.n);
  },

  /** Begins to send deliveries again. Returns false if others of the subscription are still being queued. */
  async start(
    tx: Tx,
    workspaceId: string,
    webhookId: string,
    which: Redelivered,
    { rate, matched }: { readonly rate: number | null; readonly matched: number },
  ): Promise<boolean> {
    const started = await tx.sql.run(
      `INSERT INTO redelivery (workspace_id, webhook_id, since_at, status, kinds, rate, started_at, after_at, after_id,
         next_at, matched, queued)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, 0)
       ON CONFLICT (workspace_id, webhook_id) DO UPDATE SET since_at = excluded.since_at, status = excluded.status,
         kinds = excluded.kinds, rate = excluded.rate, started_at = excluded.started_at, after_at = excluded.after_at,
         after_id = '', next_at = excluded.next_at, matched = excluded.matched, queued = 0, ended_at = NULL
       WHERE redelivery.ended_at IS NOT NULL`,
      [
        workspaceId,
        webhookId,
        which.since,
        which.status,
        which.kinds === undefined ? null : JSON.stringify(which.kinds),
        rate,
        tx.now,
        which.since,
        tx.now,
        matched,
      ],
    );
    if (started === 0) return false;
    await due.mark(tx, workspaceId, 'catch-up');
    await tx.notify('deliveries');
    return true;
  },

  /** Ends it early: what was queued is sent. Returns false if none is running. */
  async stop(tx: Tx, workspaceId: string, webhookId: string): Promise<boolean> {
    const stopped = await tx.sql.run(
      'UPDATE redelivery SET ended_at = ? WHERE workspace_id = ? AND webhook_id = ? AND ended_at IS NULL',
      [tx.now, workspaceId, webhookId],
    );
    return stopped > 0;
  },

  /** The running one of a subscription, or its last. */
  async get(tx: Tx, workspaceId: string, webhookId: string): Promise<Redelivery | undefined> {
    const row = await tx.sql.get<Omit<Redelivery, 'kinds'> & { kinds: string | null }>(
      `SELECT since_at AS since, status, kinds, rate, started_at AS "startedAt", matched, queued, ended_at AS "endedAt"
       FROM redelivery WHERE workspace_id = ? AND webhook_id = ?`,
      [workspaceId, webhookId],
    );
    return row && { ...row, kinds: row.kinds === null ? undefined : JSON.parse(row.kinds) };
  },

  /** Queues the next deliveries of some subscriptions. Returns when to go on, Unix ms; undefined at the end. */
  async proceed(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const rows = await tx.sql.all<Row>(
      `SELECT r.webhook_id AS "webhookId", r.after_at AS at, r.after_id AS id, r.started_at AS until, r.status, r.kinds, r.rate
       FROM redelivery r JOIN webhook w ON w.workspace_id = r.workspace_id AND w.webhook_id = r.webhook_id
       WHERE r.workspace_id = ? AND r.ended_at IS NULL AND w.status = 'active' AND r.next_at <= ?
       ORDER BY r.next_at, r.webhook_id LIMIT ?`,
      [workspaceId, tx.now, PER_ROUND],
    );
    for (const row of rows) await proceedOne(tx, workspaceId, row);
    const next = await tx.sql.get<{ at: number | null }>(
      `SELECT min(r.next_at) AS at
       FROM redelivery r JOIN webhook w ON w.workspace_id = r.workspace_id AND w.webhook_id = r.webhook_id
       WHERE r.workspace_id = ? AND r.ended_at IS NULL AND w.status = 'active'`,
      [workspaceId],
    );
    return next?.at ?? undefined;
  },
};

async function proceedOne(tx: Tx, workspaceId: string, row: Row): Promise<void> {
  const { webhookId, rate } = row;
  const key = [workspaceId, webhookId];
  const move = (place: { at: number; id: string }, nextAt: number, queued: number) =>
    tx.sql.run(
      `UPDATE redelivery SET after_at = ?, after_id = ?, next_at = ?, queued = queued + ?
       WHERE workspace_id = ? AND webhook_id = ? AND ended_at IS NULL`,
      [place.at, place.id, nextAt, queued, ...key],
    );
  if (await manyDue(tx, workspaceId, webhookId, MAX_DUE)) {
    await move(row, tx.now + PAUSE_MS, 0);
    return;
  }
  const most = rate === null ? PIECE : Math.max(1, Math.min(PIECE, Math.floor(rate / PIECES_PER_SECOND)));
  const page = await tx.sql.all<{ at: number; id: string; wanted: number; kind: string }>(
    `SELECT occurred_at AS at, delivery_id AS id, kind,
       CASE WHEN status NOT IN ${STATES[row.status]} THEN 0 WHEN claimed > 0 THEN 2 WHEN ${IS_AT_REST} THEN 1 ELSE 0 END AS wanted
     FROM delivery
     WHERE workspace_id = ? AND webhook_id = ? AND occurred_at >= ? AND (occurred_at > ? OR delivery_id > ?)
       AND occurred_at <= ? ORDER BY occurred_at, delivery_id LIMIT ?`,
    [tx.now, ...key, row.at, row.at, row.id, row.until, PIECE],
  );
  const kinds = row.kinds === null ? undefined : (JSON.parse(row.kinds) as string[]);
  const again: string[] = [];
  const underWay: string[] = [];
  let last: (typeof page)[number] | undefined;
  for (const one of page) {
    if (again.length === most) break;
    last = one;
    if (one.wanted > 0 && (kinds === undefined || kinds.includes(one.kind)))
      (one.wanted === 1 ? again : underWay).push(one.id);
  }
  if (underWay.length > 0) await ask(tx, workspaceId, underWay);
  const queued = again.length === 0 ? 0 : await makeDue(tx, workspaceId, again);
  if (last === page.at(-1) && page.length < PIECE)
    await tx.sql.run(
      'UPDATE redelivery SET queued = queued + ?, ended_at = ? WHERE workspace_id = ? AND webhook_id = ? AND ended_at IS NULL',
      [queued, tx.now, ...key],
    );
  else await move(last!, tx.now + (rate === null ? 0 : Math.ceil((queued * 1000) / rate)), queued);
}

/** Notes that deliveries were asked for whose attempts are under way, so that those that fail are made again at once. */
async function ask(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> {
  const { text, param } = listed(tx.sql.dialect, 'delivery_id', ids);
  await tx.sql.run(`UPDATE delivery SET asked = 1 WHERE workspace_id = ? AND ${text} AND claimed > 0`, [
    workspaceId,
    param,
  ]);
}

/** Makes deliveries due, behind new ones, with a new series of attempts where the last one has ended. Returns how many. */
async function makeDue(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<number> {
  const { text, param } = listed(tx.sql.dialect, 'delivery_id', ids);
  const changed = await tx.sql.run(
    `UPDATE delivery SET ${NEW_SERIES_IF_ENDED}, due_at = ?, behind = 1, status = 'pending'
     WHERE workspace_id = ? AND ${text} AND ${IS_AT_REST}`,
    [tx.now, workspaceId, param, tx.now],
  );
  if (changed > 0) {
    await due.mark(tx, workspaceId, 'deliveries');
    await tx.notify('deliveries');
  }
  return changed;
}
