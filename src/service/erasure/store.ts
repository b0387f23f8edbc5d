import { eventHeads } from '../events/store/event-heads.ts';
import { events } from '../events/store/events.ts';
import { erasureAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { due } from '../platform/store/due.ts';
import { erasingUsers } from '../platform/store/erasing-users.ts';
import { idempotency } from '../platform/store/idempotency.ts';
import { deleteSome } from '../platform/store/rows.ts';
import type { SqlValue, Tx } from '../platform/store/store.ts';
import { userKeys } from '../users/store/user-keys.ts';

/**
 * `find`: the userId is searched, of a user with events alone. `scan`: the logs without an index by user are searched. `again`: what was in memory meanwhile is removed. `files`: the
 * rows are gone, their bytes may still be in files.
 */
type ErasurePhase = 'find' | 'scan' | 'again' | 'files' | 'done';

/** An erasure that has yet to end. */
export interface Erasure {
  readonly hashId: string;
  /** Undefined until it is found, and where there is none. */
  readonly userId: string | undefined;
  readonly phase: ErasurePhase;
  /** The events numbered above `after`, up to `upTo`, have yet to be searched. */
  readonly after: number;
  readonly upTo: number;
  /** Unix ms. */
  readonly requestedAt: number;
  /** The delivery or idempotency key after which the search goes on; it names its table. */
  readonly afterId: string;
}

/** What names an erasure that may end: a user may be erased again meanwhile. */
export type EndingErasure = Pick<Erasure, 'hashId' | 'requestedAt'>;

/** Tables whose rows a hashId finds at once, and that hold nothing but what the user produced. */
const BY_HASH_ID = [
  'DELETE FROM app_user WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM device WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM message WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM notification WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM contact WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM decided_user WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM shown_content WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM goal_event WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM goal_user WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM goal_recheck WHERE workspace_id = ? AND hash_id = ?',
  'DELETE FROM marketing_sent WHERE workspace_id = ? AND hash_id = ?',
  // Opt-outs stay: the hashId is a keyed hash.
  `DELETE FROM consent WHERE workspace_id = ? AND hash_id = ? AND state = 'in'`,
  'UPDATE outcome SET hash_id = NULL WHERE workspace_id = ? AND hash_id = ?',
  // The row stays, so that a subscription that catches up learns how many outcomes it does not get.
  'UPDATE outcome_log SET hash_id = NULL, occurrence = NULL WHERE workspace_id = ? AND hash_id = ?',
  // The decision log is kept without the person: what was chosen, from what, and what it earned are not personal data. The
  // reason and the explanation name what decided the choice, such as a trait, which is about the person.
  `UPDATE decision SET hash_id = '', features = '[]', reason = NULL, explanation = NULL
   WHERE workspace_id = ? AND hash_id = ?`,
] as const;

/** Erasures of users: what an index finds goes with the request, the rest is searched in pieces by a worker. */
export const erasures = {
  /**
   * Erases what is found at once, in this transaction, and starts the search for the rest: also of a hashId without a
   * user, because there may be events. One that goes on is not begun again.
   */
  async start(tx: Tx, cipher: Cipher, workspaceId: string, hashId: string): Promise<void> {
    const user = await tx.sql.get<{ userId: string }>(
      `SELECT user_id AS "userId" FROM app_user WHERE workspace_id = ? AND hash_id = ?
       ${tx.sql.dialect.forUpdate}`,
      [workspaceId, hashId],
    );
    if (!user && (await erasingUsers.has(tx, workspaceId, hashId))) return;
    await tx.sql.run(
      `DELETE FROM notification_send WHERE workspace_id = ? AND notification_id IN
         (SELECT notification_id FROM notification WHERE workspace_id = ? AND hash_id = ?)`,
      [workspaceId, workspaceId, hashId],
    );
    await erasures.forget(tx, workspaceId, { hashId, userId: user?.userId });
    await tx.sql.run('DELETE FROM fan_out WHERE workspace_id = ? AND occurrence LIKE ?', [
      workspaceId,
      containing(hashId),
    ]);
    const number = await eventHeads.startErasing(tx, workspaceId);
    await tx.sql.run(
      `INSERT INTO erasure (workspace_id, hash_id, user_id, phase, after_number, up_to, after_id, requested_at,
         due_at)
       VALUES (?, ?, ?, ?, ?, ?, '', ?, ?)
       ON CONFLICT (workspace_id, hash_id) DO UPDATE SET user_id = excluded.user_id, phase = excluded.phase,
         after_number = excluded.after_number, up_to = excluded.up_to, after_id = '', requested_at = excluded.requested_at,
         due_at = excluded.due_at`,
      [
        workspaceId,
        hashId,
        user ? cipher.seal(user.userId, erasureAssociatedData(workspaceId, hashId)) : null,
        user ? 'scan' : 'find',
        await events.beforeOldest(tx, workspaceId, number),
        number,
        tx.now,
        tx.now,
      ],
    );
    await due.mark(tx, workspaceId, 'erase');
    await tx.notify('erasures');
  },

  /** Stores the userId that was found, so that the search for what is stored under it begins. */
  async found(tx: Tx, cipher: Cipher, workspaceId: string, hashId: string, userId: string): Promise<void> {
    await erasures.forgetEvents(tx, workspaceId, userId);
    await tx.sql.run(
      `UPDATE erasure SET user_id = ?, phase = 'scan', after_id = '', due_at = ?
       WHERE workspace_id = ? AND hash_id = ?`,
      [cipher.seal(userId, erasureAssociatedData(workspaceId, hashId)), tx.now, workspaceId, hashId],
    );
  },

  /** Removes what an index finds of a user. */
  async forget(tx: Tx, workspaceId: string, user: Pick<Erasure, 'hashId' | 'userId'>): Promise<void> {
    await userKeys.destroy(tx, workspaceId, user.hashId);
    for (const sql of BY_HASH_ID) await tx.sql.run(sql, [workspaceId, user.hashId]);
    if (user.userId !== undefined) await erasures.forgetEvents(tx, workspaceId, user.userId);
  },

  /** Removes what is known of a user's events by the user's id. */
  async forgetEvents(tx: Tx, workspaceId: string, userId: string): Promise<void> {
    await tx.sql.run('DELETE FROM recent_event WHERE workspace_id = ? AND user_id = ?', [
      workspaceId,
      userId,
    ]);
    await tx.sql.run('DELETE FROM user_signal WHERE workspace_id = ? AND user_id = ?', [workspaceId, userId]);
    await tx.sql.run('DELETE FROM signal_recount WHERE workspace_id = ? AND user_id = ?', [
      workspaceId,
      userId,
    ]);
  },

  /** The erasure of the workspace that goes on now, and that no other node works on. */
  async next(tx: Tx, cipher: Cipher, workspaceId: string): Promise<Erasure | undefined> {
    const row = await tx.sql.get<Omit<Erasure, 'userId'> & { userId: Uint8Array | null }>(
      `SELECT hash_id AS "hashId", user_id AS "userId", phase, after_number AS after, up_to AS "upTo",
         after_id AS "afterId", requested_at AS "requestedAt" FROM erasure WHERE workspace_id = ? AND due_at <= ?
       ORDER BY due_at LIMIT 1 ${tx.sql.dialect.skipLocked}`,
      [workspaceId, tx.now],
    );
    if (!row) return undefined;
    const { hashId } = row;
    const userId = row.userId
      ? cipher.open(row.userId, erasureAssociatedData(workspaceId, hashId))
      : undefined;
    return { ...row, userId };
  },

  /** Stores how far an erasure has come, and when it goes on, Unix ms. */
  async proceed(
    tx: Tx,
    workspaceId: string,
    { hashId }: Erasure,
    to: Pick<Erasure, 'phase' | 'after' | 'afterId'>,
    dueAt: number,
  ): Promise<void> {
    await tx.sql.run(
      `UPDATE erasure SET phase = ?, after_number = ?, after_id = ?, due_at = ?
       WHERE workspace_id = ? AND hash_id = ?`,
      [to.phase, to.after, to.afterId, dueAt, workspaceId, hashId],
    );
  },

  /** The erasures whose rows are gone, which go on at a time, Unix ms, unless they end before. */
  async inFiles(tx: Tx, workspaceId: string, dueAt: number): Promise<EndingErasure[]> {
    return tx.sql.all<EndingErasure>(
      `UPDATE erasure SET due_at = ? WHERE workspace_id = ? AND phase = 'files'
       RETURNING hash_id AS "hashId", requested_at AS "requestedAt"`,
      [dueAt, workspaceId],
    );
  },

  /** Ends an erasure: only the hashId stays. One that was requested again meanwhile goes on. */
  async end(tx: Tx, workspaceId: string, { hashId, requestedAt }: EndingErasure): Promise<void> {
    await tx.sql.run(
      `UPDATE erasure SET phase = 'done', due_at = NULL, user_id = NULL
       WHERE workspace_id = ? AND hash_id = ? AND phase = 'files' AND requested_at = ?`,
      [workspaceId, hashId, requestedAt],
    );
    await eventHeads.endErasing(tx, workspaceId);
  },

  /** When the next erasure of a workspace goes on, Unix ms; undefined if all have ended. */
  async nextDue(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number | null }>(
      'SELECT min(due_at) AS at FROM erasure WHERE workspace_id = ? AND due_at IS NOT NULL',
      [workspaceId],
    );
    return row?.at ?? undefined;
  },

  /** Deletes the user's events among the next `most` numbers. Returns the last number that was searched. */
  async scanEvents(tx: Tx, workspaceId: string, erasure: Erasure, most: number): Promise<number> {
    if (erasure.userId === undefined) return erasure.upTo;
    const last = Math.min(erasure.after + most, erasure.upTo);
    await tx.sql.run(
      'DELETE FROM event WHERE workspace_id = ? AND number > ? AND number <= ? AND user_id = ?',
      [workspaceId, erasure.after, last, erasure.userId],
    );
    return last;
  },

  /** Deletes the user's deliveries among the next `limit`. Returns the last that was searched; undefined at the end. */
  async scanDeliveries(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    after: string,
    limit: number,
  ): Promise<string | undefined> {
    const last = await tx.sql.get<{ id: string | null }>(
      `SELECT max(delivery_id) AS id FROM (SELECT delivery_id FROM delivery
         WHERE workspace_id = ? AND delivery_id > ? ORDER BY delivery_id LIMIT ?) AS d`,
      [workspaceId, after, limit],
    );
    if (!last?.id) return undefined;
    const found = await tx.sql.all<{ id: string }>(
      `SELECT delivery_id AS id FROM delivery
       WHERE workspace_id = ? AND delivery_id > ? AND delivery_id <= ? AND body LIKE ?`,
      [workspaceId, after, last.id, containing(hashId)],
    );
    for (const { id } of found) {
      const params: SqlValue[] = [workspaceId, id];
      await tx.sql.run('DELETE FROM delivery_attempt WHERE workspace_id = ? AND delivery_id = ?', params);
      await tx.sql.run('DELETE FROM delivery WHERE workspace_id = ? AND delivery_id = ?', params);
    }
    return last.id;
  },

  /**
   * Removes the user from the stored answers among the next `limit` idempotency keys, and hides keys that contain the
   * userId. A repeated request still gets its answer, without the user. Returns the last key that was searched;
   * undefined at the end.
   */
  async scanAnswers(
    tx: Tx,
    workspaceId: string,
    { hashId, userId = hashId }: Pick<Erasure, 'hashId' | 'userId'>,
    after: string,
    limit: number,
  ): Promise<string | undefined> {
    const last = await tx.sql.get<{ key: string | null }>(
      `SELECT max(key) AS key FROM (SELECT key FROM idempotency
         WHERE workspace_id = ? AND key > ? ORDER BY key LIMIT ?) AS k`,
      [workspaceId, after, limit],
    );
    if (!last?.key) return undefined;
    const found = await tx.sql.all<{ key: string; body: string | null }>(
      `SELECT key, body FROM idempotency
       WHERE workspace_id = ? AND key > ? AND key <= ? AND (body LIKE ? OR key LIKE ? ESCAPE '!')`,
      [workspaceId, after, last.key, containing(hashId), containing(userId.replace(/[!%_]/g, '!$&'))],
    );
    for (const { key, body } of found) {
      if (body?.includes(hashId))
        await tx.sql.run('UPDATE idempotency SET body = ? WHERE workspace_id = ? AND key = ?', [
          withoutUser(body, hashId),
          workspaceId,
          key,
        ]);
      if (key.includes(userId)) await idempotency.hide(tx, workspaceId, key);
    }
    return last.key;
  },

  /** The hashIds of erasures since a time, Unix ms, for the files of this node. */
  async since(tx: Tx, workspaceId: string, at: number): Promise<string[]> {
    const rows = await tx.sql.all<{ hashId: string }>(
      'SELECT hash_id AS "hashId" FROM erasure WHERE workspace_id = ? AND requested_at >= ?',
      [workspaceId, at],
    );
    return rows.map(({ hashId }) => hashId);
  },

  /** Deletes up to `limit` erasures that ended long ago: every node has been started since. Returns how many. */
  purge: (tx: Tx, workspaceId: string, limit: number): Promise<number> =>
    deleteSome(
      tx,
      workspaceId,
      { table: 'erasure', key: 'hash_id' },
      `phase = 'done' AND requested_at < ?`,
      [tx.now - ERASURE_KEPT_MS],
      limit,
    ),
};

/** How long an erasure is known to other nodes. */
export const ERASURE_KEPT_MS = 30 * 86_400_000;

/** A pattern of LIKE. A hashId is hexadecimal, so nothing in it has to be escaped. */
const containing = (text: string) => `%${text}%`;

/** An answer without its parts that name a user. */
function withoutUser(body: string, hashId: string): string {
  const names = (value: unknown) => JSON.stringify(value).includes(hashId);
  const answer = JSON.parse(body) as Record<string, unknown>;
  for (const [field, value] of Object.entries(answer))
    if (Array.isArray(value)) answer[field] = value.filter((each) => !names(each));
    else if (names(value)) delete answer[field];
  return JSON.stringify(answer);
}
