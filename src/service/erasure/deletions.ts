import { ServiceError } from '../../contract/errors.ts';
import { parseFilter, type Term } from '../../kit/event-filter/parse.ts';
import { newId } from '../../kit/id.ts';
import { eventHeads } from '../events/store/event-heads.ts';
import { events } from '../events/store/events.ts';
import { deletionAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { due } from '../platform/store/due.ts';
import { deleteSome } from '../platform/store/rows.ts';
import type { Tx } from '../platform/store/store.ts';

/** Which events are deleted: those for which everything holds that is given. */
export interface EventSelection {
  readonly event?: string | undefined;
  readonly userId?: string | undefined;
  /** When they happened: from the first time on, and before the second one. ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The run of an import that sent them. */
  readonly run?: string | undefined;
  readonly filter?: string | undefined;
}

/**
 * `scan`: the events are searched, and deleted unless they are only counted. `wait`: every node stores the counts of events
 * that it has in memory. `recount`: the counts of users' events are corrected.
 */
type DeletionPhase = 'scan' | 'wait' | 'recount' | 'done';

/** A deletion of events. */
export interface Deletion {
  readonly deletionId: string;
  /** Empty once it has ended: it may name a user. */
  readonly selection: EventSelection;
  /** The events are counted, and stay. */
  readonly dryRun: boolean;
  readonly phase: DeletionPhase;
  /** The numbers above `begin` up to `upTo` are searched, and those up to `after` were. */
  readonly begin: number;
  readonly after: number;
  readonly upTo: number;
  /** Events that were found. */
  readonly found: number;
  /** Numbers of the first ones, of a dry run. */
  readonly sample: readonly number[];
  /** Unix ms. */
  readonly requestedAt: number;
  readonly endedAt: number | null;
}

/** Deletions of a workspace that have yet to end. */
const MAX_OPEN = 20;
/** How long a deletion is kept once it has ended, in ms: that long, its run cannot send more. */
export const KEPT_MS = 30 * 86_400_000;

type Row = Omit<Deletion, 'selection' | 'dryRun' | 'sample'> & {
  readonly selection: Uint8Array | null;
  readonly dryRun: number;
  readonly sample: string;
};

const COLUMNS = `deletion_id AS "deletionId", selection, dry_run AS "dryRun", phase, begin_number AS begin,
  after_number AS after, up_to AS "upTo", found, sample, requested_at AS "requestedAt", ended_at AS "endedAt"`;

/** The terms of a selection's filter, with those for its other text fields. Throws invalid_request. */
export function termsOf({ event, userId, filter = '' }: EventSelection): readonly Term[] {
  const parsed = parseFilter(filter);
  if (!parsed.ok)
    throw new ServiceError('invalid_request', undefined, [
      { field: 'filter', message: `${parsed.message} (at character ${parsed.at + 1})` },
    ]);
  const is = (field: 'event' | 'userId', value: string | undefined): Term[] =>
    value === undefined ? [] : [{ not: false, subject: { field }, values: [value] }];
  return [...is('event', event), ...is('userId', userId), ...parsed.terms];
}

/** Deletions of events: requested by a call, and carried out in pieces by a worker, one after another. */
export const deletions = {
  /** Stores a request. One that selects the same and has yet to end is not begun again. */
  async start(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    selection: EventSelection,
    dryRun: boolean,
  ): Promise<Deletion> {
    // With the lock, a batch of the run is either among the events so far, or sees that the run is taken back.
    const newest = await eventHeads.lock(tx, workspaceId);
    const text = JSON.stringify(selection);
    const open = await deletions.open(tx, cipher, workspaceId);
    const same = open.find((each) => each.dryRun === dryRun && JSON.stringify(each.selection) === text);
    if (same) return same;
    if (open.length >= MAX_OPEN)
      throw new ServiceError('conflict', `${MAX_OPEN} deletions of events have yet to end. Wait for one.`);
    const begin = await events.beforeOldest(tx, workspaceId, newest);
    const deletionId = newId('del');
    const { run, ...conditions } = selection;
    const ofRun = !dryRun && Object.keys(conditions).length === 0 ? run : undefined;
    await tx.sql.run(
      `INSERT INTO event_deletion (workspace_id, deletion_id, selection, dry_run, run, phase, begin_number, after_number,
         up_to, found, sample, requested_at, due_at)
       VALUES (?, ?, ?, ?, ?, 'scan', ?, ?, ?, 0, '[]', ?, ?)`,
      [
        ...[workspaceId, deletionId, cipher.seal(text, deletionAssociatedData(workspaceId, deletionId))],
        ...[dryRun ? 1 : 0, ofRun ?? null, begin, begin, newest, tx.now, tx.now],
      ],
    );
    await due.mark(tx, workspaceId, 'delete');
    await tx.notify('erasures');
    return (await deletions.get(tx, cipher, workspaceId, deletionId))!;
  },

  async get(tx: Tx, cipher: Cipher, workspaceId: string, deletionId: string): Promise<Deletion | undefined> {
    const row = await tx.sql.get<Row>(
      `SELECT ${COLUMNS} FROM event_deletion WHERE workspace_id = ? AND deletion_id = ?`,
      [workspaceId, deletionId],
    );
    return row && deletionOf(cipher, workspaceId, row);
  },

  /** The deletions that have yet to end, in the order in which they were requested. */
  async open(tx: Tx, cipher: Cipher, workspaceId: string): Promise<Deletion[]> {
    const rows = await tx.sql.all<Row>(
      `SELECT ${COLUMNS} FROM event_deletion WHERE workspace_id = ? AND due_at IS NOT NULL
       ORDER BY requested_at, deletion_id`,
      [workspaceId],
    );
    return rows.map((row) => deletionOf(cipher, workspaceId, row));
  },

  /**
   * The deletion of a workspace that goes on now: one that only counts first, else the oldest one, alone, so that each finds
   * the counts of users as the one before left them. Undefined if it is not due yet.
   */
  async next(tx: Tx, cipher: Cipher, workspaceId: string): Promise<Deletion | undefined> {
    const row = await tx.sql.get<Row & { dueAt: number }>(
      `SELECT ${COLUMNS}, due_at AS "dueAt" FROM event_deletion WHERE workspace_id = ? AND due_at IS NOT NULL
       ORDER BY dry_run DESC, requested_at, deletion_id LIMIT 1 ${tx.sql.dialect.forUpdate}`,
      [workspaceId],
    );
    return row && Number(row.dueAt) <= tx.now ? deletionOf(cipher, workspaceId, row) : undefined;
  },

  /** When a deletion of the workspace goes on, Unix ms; undefined if all have ended. */
  async nextDue(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number }>(
      `SELECT due_at AS at FROM event_deletion WHERE workspace_id = ? AND due_at IS NOT NULL
       ORDER BY dry_run DESC, requested_at, deletion_id LIMIT 1`,
      [workspaceId],
    );
    return row && Number(row.at);
  },

  /** Stores how far a deletion has come, and when it goes on, Unix ms. At its end, it forgets what it selected. */
  async proceed(tx: Tx, workspaceId: string, to: Deletion, dueAt = tx.now): Promise<void> {
    const ends = to.phase === 'done';
    await tx.sql.run(
      `UPDATE event_deletion SET phase = ?, begin_number = ?, after_number = ?, up_to = ?, found = ?, sample = ?,
         due_at = ?, ended_at = ?, selection = CASE WHEN ? = 1 THEN NULL ELSE selection END
       WHERE workspace_id = ? AND deletion_id = ?`,
      [
        ...[to.phase, to.begin, to.after, to.upTo, to.found, JSON.stringify(to.sample)],
        ...[ends ? null : dueAt, ends ? tx.now : null, ends ? 1 : 0, workspaceId, to.deletionId],
      ],
    );
  },

  /** Deletes up to `limit` deletions that ended long ago. Returns how many. */
  purge: (tx: Tx, workspaceId: string, limit: number): Promise<number> =>
    deleteSome(
      tx,
      workspaceId,
      { table: 'event_deletion', key: 'deletion_id' },
      'ended_at < ?',
      [tx.now - KEPT_MS],
      limit,
    ),
};

function deletionOf(cipher: Cipher, workspaceId: string, row: Row): Deletion {
  const selection = row.selection
    ? cipher.open(row.selection, deletionAssociatedData(workspaceId, row.deletionId))
    : '{}';
  return {
    ...row,
    selection: JSON.parse(selection),
    dryRun: Number(row.dryRun) === 1,
    begin: Number(row.begin),
    after: Number(row.after),
    upTo: Number(row.upTo),
    found: Number(row.found),
    sample: JSON.parse(row.sample),
    requestedAt: Number(row.requestedAt),
    endedAt: row.endedAt === null ? null : Number(row.endedAt),
  };
}
