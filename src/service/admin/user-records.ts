import { CHANNELS } from '../../contract/schemas.ts';
import { eventHeads } from '../events/store/event-heads.ts';
import { findUserId } from '../events/store/find-user-id.ts';
import { explanationAssociatedData, variablesAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { hashId } from '../platform/crypto/hash-id.ts';
import { readPage } from '../platform/store/pages.ts';
import type { SqlValue, Store, Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { addresses } from '../users/store/addresses.ts';
import { consents } from '../users/store/consents.ts';
import { users } from '../users/store/users.ts';

interface FoundUser {
  readonly workspaceId: string;
  readonly hashId: string;
  readonly userId: string;
}

/** One of two identifiers of a user. */
export interface UserIdentifier {
  readonly hashId?: string | undefined;
  readonly userId?: string | undefined;
}

export interface IdentifiedUser {
  readonly hashId: string;
  /** False if nothing was stored of the user, or the user was erased. */
  readonly known: boolean;
}

/**
 * Finds a user by one of two identifiers, in the named workspace or in the first that knows the user; else one of whom
 * there are events alone, which searches the logs in pieces.
 */
export async function findUser(
  store: Store,
  by: UserIdentifier & { readonly workspace?: string | undefined },
): Promise<FoundUser | undefined> {
  const all = await store.read((tx) => workspaces.list(tx));
  const ids = all.map(({ id }) => id).filter((id) => by.workspace === undefined || by.workspace === id);
  for (const id of ids) {
    const { hashId, userId } = await store.read((tx) => lookUp(tx, id, by));
    if (userId !== undefined) return { workspaceId: id, hashId, userId };
  }
  for (const id of ids) {
    const { hashId } = await store.read((tx) => lookUp(tx, id, by));
    const userId = await searchUserId(store, id, hashId);
    if (userId !== undefined) return { workspaceId: id, hashId, userId };
  }
  return undefined;
}

async function searchUserId(store: Store, workspaceId: string, hashId: string): Promise<string | undefined> {
  const { number } = await store.read((tx) => eventHeads.get(tx, workspaceId));
  let place: string | undefined = '';
  while (place !== undefined) {
    const from: string = place;
    const { userId, next } = await store.read((tx) => findUserId(tx, workspaceId, hashId, from, number));
    if (userId !== undefined) return userId;
    place = next;
  }
  return undefined;
}

/** Resolves with the hashId of a user of a workspace, named by one of two identifiers, and whether the user is known. */
export async function identifyUser(
  store: Store,
  workspaceId: string,
  by: UserIdentifier,
): Promise<IdentifiedUser> {
  const { hashId, userId } = await store.read((tx) => lookUp(tx, workspaceId, by));
  return { hashId, known: userId !== undefined };
}

async function lookUp(tx: Tx, workspaceId: string, by: UserIdentifier) {
  const hash = by.hashId ?? hashId(await workspaces.hashKey(tx, workspaceId), by.userId ?? '');
  const row = await tx.sql.get<{ userId: string }>(
    'SELECT user_id AS "userId" FROM app_user WHERE workspace_id = ? AND hash_id = ?',
    [workspaceId, hash],
  );
  return { hashId: hash, userId: row?.userId };
}

/** A kind of record about a user: where it is, and the columns of its JSON members. */
interface Source {
  readonly type: string;
  readonly table: string;
  /** The condition that selects the user. */
  readonly by: string;
  readonly params: (user: FoundUser) => SqlValue[];
  readonly order: readonly string[];
  readonly columns: readonly string[];
  /** Columns that hold JSON, and times in Unix ms. */
  readonly json?: readonly string[];
  readonly times?: readonly string[];
  /** Columns that hold encrypted JSON, with the associated data of a row. */
  readonly sealed?: Readonly<Record<string, (row: Readonly<Record<string, SqlValue>>) => string>>;
}

const byHash = ({ workspaceId, hashId }: FoundUser) => [workspaceId, hashId];
const byUser = ({ workspaceId, userId }: FoundUser) => [workspaceId, userId];

const SOURCES: readonly Source[] = [
  {
    type: 'event',
    table: 'event',
    by: 'user_id = ?',
    params: byUser,
    order: ['number'],
    columns: ['number', 'event', 'timestamp', 'properties', 'received_at'],
    json: ['properties'],
    times: ['received_at'],
  },
  {
    type: 'eventCount',
    table: 'user_signal',
    by: 'user_id = ?',
    params: byUser,
    order: ['event'],
    columns: ['event', 'count', 'last_ms'],
    times: ['last_ms'],
  },
  {
    type: 'decision',
    table: 'decision',
    by: 'hash_id = ?',
    params: byHash,
    order: ['seq'],
    columns: [
      'seq',
      'decision_id',
      'at_ms',
      'context',
      'content_id',
      'category',
      'reward',
      'outcome',
      'reason',
      'explanation',
    ],
    json: ['context'],
    times: ['at_ms'],
    sealed: { explanation: ({ decision_id }) => explanationAssociatedData(String(decision_id)) },
  },
  {
    type: 'message',
    table: 'message',
    by: 'hash_id = ?',
    params: byHash,
    order: ['decision_id'],
    columns: ['decision_id', 'content_id', 'title', 'body', 'at_ms', 'served_at'],
    times: ['at_ms', 'served_at'],
  },
  {
    type: 'contact',
    table: 'contact',
    by: 'hash_id = ?',
    params: byHash,
    order: ['at_ms', 'id'],
    columns: ['at_ms', 'kind', 'id'],
    times: ['at_ms'],
  },
  {
    type: 'shownContent',
    table: 'shown_content',
    by: 'hash_id = ?',
    params: byHash,
    order: ['content_id'],
    columns: ['content_id', 'times', 'last_ms', 'closed_ms'],
    times: ['last_ms', 'closed_ms'],
  },
  {
    type: 'marketingSent',
    table: 'marketing_sent',
    by: 'hash_id = ?',
    params: byHash,
    order: ['notification_id'],
    columns: ['notification_id', 'template_id', 'category', 'at_ms'],
    times: ['at_ms'],
  },
  {
    type: 'delivery',
    table: 'delivery',
    by: 'body LIKE ?',
    params: ({ workspaceId, hashId }) => [workspaceId, `%${hashId}%`],
    order: ['delivery_id'],
    columns: ['delivery_id', 'kind', 'body', 'status', 'occurred_at'],
    json: ['body'],
    times: ['occurred_at'],
  },
  {
    type: 'notification',
    table: 'notification',
    by: 'hash_id = ?',
    params: byHash,
    order: ['notification_id'],
    columns: [
      'notification_id',
      'template_id',
      'channel',
      'priority',
      'status',
      'history',
      'failure',
      'created_at',
      'send_at',
      'variables',
    ],
    json: ['history'],
    times: ['created_at', 'send_at'],
    sealed: { variables: ({ notification_id }) => variablesAssociatedData(String(notification_id)) },
  },
];

const PAGE = 500;

/** Every record about a user as JSON text, with personal data in plain text: for the person, not for an API. */
export async function* userRecords(store: Store, cipher: Cipher, user: FoundUser): AsyncGenerator<string> {
  const { workspaceId } = user;
  const first = await store.read(async (tx) => {
    const known = await users.find(tx, cipher, workspaceId, user.hashId);
    const reachable: Record<string, string[]> = {};
    for (const channel of CHANNELS)
      reachable[channel] = (await addresses.addressesOf(tx, cipher, workspaceId, user.hashId, channel)).map(
        ({ address }) => address,
      );
    return {
      type: 'user',
      workspace: workspaceId,
      userId: user.userId,
      hashId: user.hashId,
      ...(await users.personal(tx, cipher, workspaceId, user.hashId)),
      timeZone: known?.timeZone ?? null,
      locale: known?.locale ?? null,
      traits: known?.traits ?? {},
      addresses: reachable,
      consent: await consents.ofUser(tx, workspaceId, user.hashId),
    };
  });
  yield JSON.stringify(first);
  for (const source of SOURCES) yield* recordsOf(store, cipher, source, user);
}

async function* recordsOf(
  store: Store,
  cipher: Cipher,
  source: Source,
  user: FoundUser,
): AsyncGenerator<string> {
  const { type, table, by, params, order, columns, json = [], times = [], sealed = {} } = source;
  let after: SqlValue[] = [];
  for (;;) {
    const marks = order.map(() => '?').join(', ');
    const behind = after.length > 0 ? ` AND (${order.join(', ')}) > (${marks})` : '';
    const query = {
      columns: columns.join(', '),
      long: [...json, ...Object.keys(sealed)],
      from: `${table} WHERE workspace_id = ? AND ${by}${behind}`,
      params: [...params(user), ...after],
      order: order.join(', '),
      limit: PAGE,
    };
    const page = await store.read((tx) => readPage<Record<string, SqlValue>>(tx, query));
    for (const row of page.rows) {
      const members = columns.map((column) => [nameOf(column), member(column, row)]);
      yield JSON.stringify({ type, ...Object.fromEntries(members) });
    }
    const last = page.rows.at(-1);
    if (!page.more || !last) return;
    after = order.map((column) => last[column]!);
  }

  function member(column: string, row: Record<string, SqlValue>): unknown {
    const value = row[column] ?? null;
    if (value === null) return null;
    const associatedData = sealed[column]?.(row);
    if (associatedData !== undefined) return JSON.parse(cipher.open(value as Uint8Array, associatedData));
    if (json.includes(column)) return JSON.parse(String(value));
    if (times.includes(column)) return new Date(Number(value)).toISOString();
    return typeof value === 'bigint' ? Number(value) : value;
  }
}

/** `notification_id` becomes `notificationId`, and `at_ms` `at`. */
const nameOf = (column: string) =>
  column.replace(/_ms$/, '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
