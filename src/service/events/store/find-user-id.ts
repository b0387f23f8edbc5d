import { hashId as hashOf } from '../../platform/crypto/hash-id.ts';
import type { Tx } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { events } from './events.ts';

/** Event numbers, and users of another table, that one call searches: the hash of each user takes microseconds. */
const EVENTS = 5000;
const USERS = 1000;

/** The tables with an index by user that are searched before the log, in this order. */
const INDEXED = ['user_signal', 'recent_event'];

/** What a piece of a search came to. */
export interface SearchedPiece {
  /** The userId, where the piece has it. */
  readonly userId: string | undefined;
  /** Where the search goes on; undefined at the end. It may name a user. */
  readonly next: string | undefined;
}

/**
 * Searches a piece of what is stored by userId for the user with a hashId: a user of whom there are events alone has no
 * other record. `place` is the empty text, and then `next` of the piece before. Of the log, events up to the number `upTo`.
 */
export async function findUserId(
  tx: Tx,
  workspaceId: string,
  hashId: string,
  place: string,
  upTo: number,
): Promise<SearchedPiece> {
  const key = await workspaces.hashKey(tx, workspaceId);
  const among = (rows: readonly { readonly userId: string }[]) =>
    rows.find(({ userId }) => hashOf(key, userId) === hashId)?.userId;
  const [table = '', after = ''] = (place || `${INDEXED[0]}:`).split(/:(.*)/s);
  if (table === 'event') {
    const last = Math.min(Number(after) + EVENTS, upTo);
    const rows = await tx.sql.all<{ userId: string }>(
      'SELECT DISTINCT user_id AS "userId" FROM event WHERE workspace_id = ? AND number > ? AND number <= ?',
      [workspaceId, Number(after), last],
    );
    return { userId: among(rows), next: last < upTo ? `event:${last}` : undefined };
  }
  const index = INDEXED.indexOf(table);
  const rows = await tx.sql.all<{ userId: string }>(
    `SELECT DISTINCT user_id AS "userId" FROM ${INDEXED[index]!} WHERE workspace_id = ? AND user_id > ?
     ORDER BY user_id LIMIT ?`,
    [workspaceId, after, USERS],
  );
  const following = INDEXED[index + 1];
  const next =
    rows.length === USERS
      ? `${table}:${rows.at(-1)!.userId}`
      : following
        ? `${following}:`
        : `event:${await events.beforeOldest(tx, workspaceId, upTo)}`;
  return { userId: among(rows), next };
}
