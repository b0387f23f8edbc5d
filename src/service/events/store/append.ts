import { erasingUsers } from '../../platform/store/erasing-users.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Tx } from '../../platform/store/store.ts';
import { textArray } from '../../platform/store/text-array.ts';
import { eventIds } from './ids/event-ids.ts';
import { type BatchIds, idsWithinUsers } from './ids/id-hashes.ts';
import { idMerges } from './ids/id-merges.ts';
import { type FoundIds, KnownIds } from './ids/known-ids.ts';

/** What ingest stored: events numbered from `first` on, and the event names to index. */
export interface Appended {
  readonly first: number;
  readonly names: readonly string[];
  /** The users of the batch who are being erased, whose events were not stored. */
  readonly erasing: ReadonlySet<string>;
  /** What is known of the ids of the batch; undefined if it has none. Repeated events were not stored. */
  readonly found: FoundIds | undefined;
}

/** The head of a workspace after events were appended. None was while `erasing` is 1. */
type Head = { number: number; names: string; erasing: number };

/** The fields of an event in a batch, but for its properties. */
interface SentEvent {
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
}

/** A validated ingest body. */
export interface EventBatch {
  /** The number of its events. */
  readonly length: number;
  /** The JSON text as it was sent. */
  readonly text: string;
  /** The event at an index below `length`. */
  at(index: number): SentEvent;
  /** The events with their properties, which makes a value of all that was sent. */
  whole(): readonly { readonly event: string; readonly properties?: object | undefined }[];
  /** The events with one of these names, with their indexes. */
  named(names: readonly string[]): Iterable<[index: number, event: SentEvent]>;
  /** The columns user_id, event, timestamp and properties, as `text[]` parameters (text-array.ts). */
  columns(): readonly Uint8Array[];
  /** The ids of its events; undefined if none has one. */
  ids(): BatchIds | undefined;
  /** The column event_id, like `columns`. */
  idColumn(): Uint8Array;
}

/** Who sent an event, by the key of the request: an app with a publishable key, or a server. */
export type Origin = 'client' | 'server';

/** The column of an origin. */
const originColumn = (origin: Origin) => (origin === 'client' ? origin : null);

/**
 * Inserts events from an array per column, which costs the server half of what reading them from JSON does. The arrays
 * are decoded before the head of the workspace is locked by the update.
 */
const APPEND_POSTGRES = `WITH head AS (
    UPDATE event_head SET number = number + ? WHERE workspace_id = ?
    RETURNING workspace_id, number, names, erasing),
  stored AS (
    INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, origin, received_at)
    SELECT head.workspace_id, head.number - ? + sent.nth, sent.user_id, sent.event, sent.timestamp, sent.properties, ?, ?
    FROM head, ROWS FROM (unnest((?)::text[], (?)::text[], (?)::text[], (?)::text[])) WITH ORDINALITY
      AS sent(user_id, event, timestamp, properties, nth) WHERE head.erasing = 0)
  SELECT number, names, erasing FROM head`;

const ADVANCE =
  'UPDATE event_head SET number = number + ? WHERE workspace_id = ? RETURNING number, names, erasing';

/** The same as two statements, each of which the coordinator passes on to the worker of the workspace. */
const APPEND_CITUS = {
  advance: ADVANCE,
  insert: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, origin, received_at)
    SELECT h.workspace_id, h.number - ? + sent.nth, sent.user_id, sent.event, sent.timestamp, sent.properties, ?, ?
    FROM event_head h, ROWS FROM (unnest((?)::text[], (?)::text[], (?)::text[], (?)::text[])) WITH ORDINALITY
      AS sent(user_id, event, timestamp, properties, nth) WHERE h.workspace_id = ? AND h.erasing = 0`,
} as const;

/** SQLite has one writer at a time. */
const APPEND_SQLITE = {
  insert: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, origin, received_at)
    SELECT h.workspace_id, h.number + e.key + 1, e.value ->> '$.userId', e.value ->> '$.event',
      e.value ->> '$.timestamp', e.value -> '$.properties', ?, ?
    FROM event_head h, json_each(?, '$.events') e WHERE h.workspace_id = ? AND h.erasing = 0`,
  advance: ADVANCE,
} as const;

/** Inserts the events of a batch with their ids, when the head was advanced. */
const INSERT_ALL = {
  postgres: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, event_id, origin, received_at)
    SELECT h.workspace_id, h.number - ? + sent.nth, sent.user_id, sent.event, sent.timestamp, sent.properties,
      sent.event_id, ?, ?
    FROM event_head h, ROWS FROM (unnest((?)::text[], (?)::text[], (?)::text[], (?)::text[], (?)::text[]))
      WITH ORDINALITY AS sent(user_id, event, timestamp, properties, event_id, nth)
    WHERE h.workspace_id = ?`,
  sqlite: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, event_id, origin, received_at)
    SELECT h.workspace_id, h.number - ? + e.key + 1, e.value ->> '$.userId', e.value ->> '$.event',
      e.value ->> '$.timestamp', e.value -> '$.properties', e.value ->> '$.eventId', ?, ?
    FROM event_head h, json_each(?, '$.events') e
    WHERE h.workspace_id = ?`,
} as const;

/** The same, but for the events of some users and those at some indexes. */
const INSERT_OTHERS = {
  postgres: `${INSERT_ALL.postgres} AND NOT sent.user_id = ANY ((?)::text[]) AND NOT sent.nth - 1 = ANY ((?)::bigint[])`,
  sqlite: `${INSERT_ALL.sqlite} AND e.value ->> '$.userId' NOT IN (SELECT value FROM json_each(?))
      AND e.key NOT IN (SELECT value FROM json_each(?))`,
} as const;

const NOBODY: ReadonlySet<string> = new Set();
const NONE: ReadonlySet<number> = new Set();

/**
 * Stores a validated ingest body, but for the events of users who are being erased and those whose id is repeated, which
 * leave gaps in the numbers. Locks the head of the workspace until the transaction ends.
 */
export async function appendEvents(
  tx: Tx,
  workspaceId: string,
  batch: EventBatch,
  known = new KnownIds(),
  origin: Origin = 'server',
): Promise<Appended> {
  const ids = origin === 'client' ? idsWithinUsers(batch) : batch.ids();
  const hashed = ids && known.hash(workspaceId, ids);
  const [head, runs] = ids
    ? await pipeline([
        tx.sql.get<Head>(ADVANCE, [batch.length, workspaceId]),
        known.unknownRuns(tx, workspaceId),
      ])
    : [await append(tx, workspaceId, batch, origin), undefined];
  if (!head) throw new Error(`the workspace ${workspaceId} has no event_head`);
  const number = Number(head.number);
  const found = ids && (await known.find(tx, workspaceId, number - batch.length, ids, hashed, runs));
  const erasing = Number(head.erasing) === 1 ? await erasingUsersOf(tx, workspaceId, batch) : NOBODY;
  const repeated = found?.repeated ?? NONE;
  if ((ids || Number(head.erasing) === 1) && repeated.size < batch.length)
    await pipeline([
      insertOthers(tx, workspaceId, batch, erasing, repeated, originColumn(origin)),
      found && found.hashes.length > 0 && eventIds.add(tx, workspaceId, number, found.hashes),
      found?.mergeDue && idMerges.mark(tx, workspaceId),
    ]);
  await tx.notify('events');
  return { first: number - batch.length + 1, names: JSON.parse(head.names), erasing, found };
}

/** Stores a batch without ids. Undefined if the workspace has no head: nothing was stored. */
async function append(
  tx: Tx,
  workspaceId: string,
  batch: EventBatch,
  from: Origin,
): Promise<Head | undefined> {
  const { sql, now } = tx;
  const { length } = batch;
  const origin = originColumn(from);
  if (sql.dialect.distributed) {
    const [head] = await pipeline([
      sql.get<Head>(APPEND_CITUS.advance, [length, workspaceId]),
      sql.run(APPEND_CITUS.insert, [length, origin, now, ...batch.columns(), workspaceId]),
    ]);
    return head;
  }
  if (sql.dialect.name === 'postgres')
    return sql.get<Head>(APPEND_POSTGRES, [length, workspaceId, length, origin, now, ...batch.columns()]);
  await sql.run(APPEND_SQLITE.insert, [origin, now, batch.text, workspaceId], { long: true });
  return sql.get<Head>(APPEND_SQLITE.advance, [length, workspaceId]);
}

/** The users of a batch who are being erased. */
async function erasingUsersOf(tx: Tx, workspaceId: string, batch: EventBatch): Promise<ReadonlySet<string>> {
  const userIds = new Set(Array.from({ length: batch.length }, (_, i) => batch.at(i).userId));
  return erasingUsers.among(tx, workspaceId, userIds);
}

async function insertOthers(
  { sql, now }: Tx,
  workspaceId: string,
  batch: EventBatch,
  users: ReadonlySet<string>,
  indexes: ReadonlySet<number>,
  origin: string | null,
): Promise<void> {
  const all = users.size === 0 && indexes.size === 0;
  const insert = (all ? INSERT_ALL : INSERT_OTHERS)[sql.dialect.name];
  if (sql.dialect.name === 'postgres') {
    const others = all ? [] : [textArray([...users]), `{${[...indexes].join(',')}}`];
    await sql.run(insert, [
      ...[batch.length, origin, now, ...batch.columns(), batch.idColumn(), workspaceId],
      ...others,
    ]);
  } else {
    const others = all ? [] : [JSON.stringify([...users]), JSON.stringify([...indexes])];
    await sql.run(insert, [batch.length, origin, now, batch.text, workspaceId, ...others], { long: true });
  }
}
