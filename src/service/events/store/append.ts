import { erasingUsers } from '../../platform/store/erasing-users.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Tx } from '../../platform/store/store.ts';
import { textArray } from '../../platform/store/text-array.ts';

/** What ingest stored: events numbered from `first` on, and the event names to index. */
export interface Appended {
  readonly first: number;
  readonly names: readonly string[];
  /** The users of the batch who are being erased, whose events were not stored. */
  readonly erasing: ReadonlySet<string>;
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
  /** The events with one of these names, with their indexes. */
  named(names: readonly string[]): Iterable<[index: number, event: SentEvent]>;
  /** The columns user_id, event, timestamp and properties, as `text[]` parameters (text-array.ts). */
  columns(): readonly Uint8Array[];
}

/**
 * Inserts events from an array per column, which costs the server half of what reading them from JSON does. The arrays
 * are decoded before the head of the workspace is locked by the update.
 */
const APPEND_POSTGRES = `WITH head AS (
    UPDATE event_head SET number = number + ? WHERE workspace_id = ?
    RETURNING workspace_id, number, names, erasing),
  stored AS (
    INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at)
    SELECT head.workspace_id, head.number - ? + sent.nth, sent.user_id, sent.event, sent.timestamp, sent.properties, ?
    FROM head, ROWS FROM (unnest((?)::text[], (?)::text[], (?)::text[], (?)::text[])) WITH ORDINALITY
      AS sent(user_id, event, timestamp, properties, nth) WHERE head.erasing = 0)
  SELECT number, names, erasing FROM head`;

const ADVANCE =
  'UPDATE event_head SET number = number + ? WHERE workspace_id = ? RETURNING number, names, erasing';

/** The same as two statements, each of which the coordinator passes on to the worker of the workspace. */
const APPEND_CITUS = {
  advance: ADVANCE,
  insert: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at)
    SELECT h.workspace_id, h.number - ? + sent.nth, sent.user_id, sent.event, sent.timestamp, sent.properties, ?
    FROM event_head h, ROWS FROM (unnest((?)::text[], (?)::text[], (?)::text[], (?)::text[])) WITH ORDINALITY
      AS sent(user_id, event, timestamp, properties, nth) WHERE h.workspace_id = ? AND h.erasing = 0`,
} as const;

/** SQLite has one writer at a time. */
const APPEND_SQLITE = {
  insert: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at)
    SELECT h.workspace_id, h.number + e.key + 1, e.value ->> '$.userId', e.value ->> '$.event',
      e.value ->> '$.timestamp', e.value -> '$.properties', ?
    FROM event_head h, json_each(?, '$.events') e WHERE h.workspace_id = ? AND h.erasing = 0`,
  advance: ADVANCE,
} as const;

/** Inserts the events of a batch but for those of some users, when the head was advanced. */
const INSERT_OTHERS = {
  postgres: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at)
    SELECT h.workspace_id, h.number - ? + sent.nth, sent.user_id, sent.event, sent.timestamp, sent.properties, ?
    FROM event_head h, ROWS FROM (unnest((?)::text[], (?)::text[], (?)::text[], (?)::text[])) WITH ORDINALITY
      AS sent(user_id, event, timestamp, properties, nth)
    WHERE h.workspace_id = ? AND NOT sent.user_id = ANY ((?)::text[])`,
  sqlite: `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at)
    SELECT h.workspace_id, h.number - ? + e.key + 1, e.value ->> '$.userId', e.value ->> '$.event',
      e.value ->> '$.timestamp', e.value -> '$.properties', ?
    FROM event_head h, json_each(?, '$.events') e
    WHERE h.workspace_id = ? AND e.value ->> '$.userId' NOT IN (SELECT value FROM json_each(?))`,
} as const;

/**
 * Stores a validated ingest body, but for the events of users who are being erased, which leave gaps in the numbers.
 * Locks the head of the workspace until the transaction ends.
 */
export async function appendEvents(tx: Tx, workspaceId: string, batch: EventBatch): Promise<Appended> {
  const head = await append(tx, workspaceId, batch);
  if (!head) throw new Error(`the workspace ${workspaceId} has no event_head`);
  const erasing = Number(head.erasing) === 1 ? await appendOthers(tx, workspaceId, batch) : NOBODY;
  await tx.notify('events');
  return { first: Number(head.number) - batch.length + 1, names: JSON.parse(head.names), erasing };
}

/** Undefined if the workspace has no head: nothing was stored. */
async function append(tx: Tx, workspaceId: string, batch: EventBatch): Promise<Head | undefined> {
  const { sql, now } = tx;
  const { length } = batch;
  if (sql.dialect.distributed) {
    const [head] = await pipeline([
      sql.get<Head>(APPEND_CITUS.advance, [length, workspaceId]),
      sql.run(APPEND_CITUS.insert, [length, now, ...batch.columns(), workspaceId]),
    ]);
    return head;
  }
  if (sql.dialect.name === 'postgres')
    return sql.get<Head>(APPEND_POSTGRES, [length, workspaceId, length, now, ...batch.columns()]);
  await sql.run(APPEND_SQLITE.insert, [now, batch.text, workspaceId]);
  return sql.get<Head>(APPEND_SQLITE.advance, [length, workspaceId]);
}

const NOBODY: ReadonlySet<string> = new Set();

/** Stores what `append` did not, but for the events of users who are being erased. Returns these users. */
async function appendOthers(tx: Tx, workspaceId: string, batch: EventBatch): Promise<ReadonlySet<string>> {
  const { sql, now } = tx;
  const { length } = batch;
  const userIds = new Set(Array.from({ length }, (_, i) => batch.at(i).userId));
  const erasing = await erasingUsers.among(tx, workspaceId, userIds);
  if (sql.dialect.name === 'postgres')
    await sql.run(INSERT_OTHERS.postgres, [
      length,
      now,
      ...batch.columns(),
      workspaceId,
      textArray([...erasing]),
    ]);
  else
    await sql.run(INSERT_OTHERS.sqlite, [length, now, batch.text, workspaceId, JSON.stringify([...erasing])]);
  return erasing;
}
