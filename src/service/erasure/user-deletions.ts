import { ServiceError } from '../../contract/errors.ts';
import { newId } from '../../kit/id.ts';
import { eventHeads } from '../events/store/event-heads.ts';
import { events } from '../events/store/events.ts';
import { deletionAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { due } from '../platform/store/due.ts';
import { deleteSome } from '../platform/store/rows.ts';
import type { Tx } from '../platform/store/store.ts';
import { userRuns } from '../users/store/user-runs.ts';
import { KEPT_MS } from './deletions.ts';

/** A deletion of the users that a run of an import created and nobody used since. */
export interface UserDeletion {
  readonly deletionId: string;
  readonly run: string;
  /** The users are counted, and stay. */
  readonly dryRun: boolean;
  /** The events above this number, up to the second one, have yet to be searched for users of the run. */
  readonly afterNumber: number;
  readonly upTo: number;
  /** Then the users with an identifier up to this one were searched; sealed, as it is personal. */
  readonly afterUser: Uint8Array | null;
  /** Users that were deleted, or would be, and those that were used since and stay. */
  readonly found: number;
  readonly kept: number;
  /** Unix ms. */
  readonly requestedAt: number;
  readonly endedAt: number | null;
}

/** Users and event numbers that one transaction searches: some milliseconds of work. */
const SEARCHED = 200;
const SEARCHED_EVENTS = 10_000;
/** By how much the clocks of nodes may differ, in ms. */
const SKEW_MS = 60_000;
/** Deletions of a workspace that have yet to end. */
const MAX_OPEN = 20;

type Row = Omit<UserDeletion, 'dryRun'> & { readonly dryRun: number; readonly dueAt: number | null };

const COLUMNS = `deletion_id AS "deletionId", run, dry_run AS "dryRun", after_number AS "afterNumber", up_to AS "upTo", after_user AS "afterUser", found, kept,
  requested_at AS "requestedAt", due_at AS "dueAt", ended_at AS "endedAt"`;
const OPEN = `SELECT ${COLUMNS} FROM user_deletion WHERE workspace_id = ? AND due_at IS NOT NULL
  ORDER BY dry_run DESC, requested_at, deletion_id`;

/** Deletions of users of runs: requested by a call, and carried out in pieces by a worker, one after another. */
export const userDeletions = {
  /** Stores a request. One for the same run that has yet to end is not begun again. */
  async start(tx: Tx, workspaceId: string, run: string, dryRun: boolean): Promise<UserDeletion> {
    await userRuns.lock(tx, workspaceId);
    const open = (await tx.sql.all<Row>(OPEN, [workspaceId])).map(deletionOf);
    const same = open.find((each) => each.run === run && each.dryRun === dryRun);
    if (same) return same;
    if (open.length >= MAX_OPEN)
      throw new ServiceError('conflict', `${MAX_OPEN} deletions of users have yet to end. Wait for one.`);
    const deletionId = newId('del');
    const newest = await eventHeads.lock(tx, workspaceId);
    const since = await userRuns.since(tx, workspaceId, run);
    const after =
      since === undefined ? newest : await events.beforeTime(tx, workspaceId, since - SKEW_MS, newest);
    await tx.sql.run(
      `INSERT INTO user_deletion (workspace_id, deletion_id, run, dry_run, after_number, up_to, found, kept, requested_at,
         due_at)
       VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`,
      [workspaceId, deletionId, run, dryRun ? 1 : 0, after, newest, tx.now, tx.now],
    );
    await due.mark(tx, workspaceId, 'delete');
    await tx.notify('erasures');
    return (await userDeletions.get(tx, workspaceId, deletionId))!;
  },

  async get(tx: Tx, workspaceId: string, deletionId: string): Promise<UserDeletion | undefined> {
    const row = await tx.sql.get<Row>(
      `SELECT ${COLUMNS} FROM user_deletion WHERE workspace_id = ? AND deletion_id = ?`,
      [workspaceId, deletionId],
    );
    return row && deletionOf(row);
  },

  /** Runs one step of the deletion that is due, in one transaction. */
  async step(tx: Tx, cipher: Cipher, workspaceId: string): Promise<void> {
    const row = await tx.sql.get<Row>(`${OPEN} LIMIT 1 ${tx.sql.dialect.forUpdate}`, [workspaceId]);
    if (!row || Number(row.dueAt) > tx.now) return;
    const { deletionId, run, dryRun, afterNumber, upTo, afterUser, found, kept } = deletionOf(row);
    if (afterNumber < upTo) {
      const range = { after: afterNumber, upTo: Math.min(afterNumber + SEARCHED_EVENTS, upTo) };
      await userRuns.markTracked(tx, workspaceId, run, range);
      await tx.sql.run(
        'UPDATE user_deletion SET after_number = ?, due_at = ? WHERE workspace_id = ? AND deletion_id = ?',
        [range.upTo, tx.now, workspaceId, deletionId],
      );
      return;
    }
    const associated = deletionAssociatedData(workspaceId, deletionId);
    const after = afterUser ? cipher.open(afterUser, associated) : '';
    const options = { after, limit: SEARCHED, locked: !dryRun };
    const page = await userRuns.page(tx, workspaceId, run, options);
    const unused = page.filter(({ isUsed }) => !isUsed);
    if (!dryRun) await userRuns.delete(tx, workspaceId, unused);
    const ends = page.length < SEARCHED;
    await tx.sql.run(
      `UPDATE user_deletion SET after_user = ?, found = ?, kept = ?, due_at = ?, ended_at = ?
       WHERE workspace_id = ? AND deletion_id = ?`,
      [
        ...[
          ends ? null : cipher.seal(page.at(-1)!.userId, associated),
          found + unused.length,
          kept + page.length - unused.length,
        ],
        ...[ends ? null : tx.now, ends ? tx.now : null, workspaceId, deletionId],
      ],
    );
  },

  /** When a deletion of the workspace goes on, Unix ms; undefined if all have ended. */
  async nextDue(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const row = await tx.sql.get<Row>(`${OPEN} LIMIT 1`, [workspaceId]);
    return row && Number(row.dueAt);
  },

  /** Deletes up to `limit` deletions that ended long ago. Returns how many. */
  purge: (tx: Tx, workspaceId: string, limit: number): Promise<number> =>
    deleteSome(
      tx,
      workspaceId,
      { table: 'user_deletion', key: 'deletion_id' },
      'ended_at < ?',
      [tx.now - KEPT_MS],
      limit,
    ),
};

function deletionOf({ dueAt: _, ...row }: Row): UserDeletion {
  return {
    ...row,
    dryRun: Number(row.dryRun) === 1,
    afterNumber: Number(row.afterNumber),
    upTo: Number(row.upTo),
    found: Number(row.found),
    kept: Number(row.kept),
    requestedAt: Number(row.requestedAt),
    endedAt: row.endedAt === null ? null : Number(row.endedAt),
  };
}
