import { listed, listedNumbers } from '../../platform/store/listed.ts';
import { PAGE_BYTES, type Page, readPage } from '../../platform/store/pages.ts';
import type { Tx } from '../../platform/store/store.ts';
import { appendEvents, type Origin } from './append.ts';

export interface StoredEvent {
  /** Its position among the events of the workspace. */
  readonly number: number;
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  /** The JSON text as received, which preserves big integers and number formats; null if the event has none. */
  readonly properties: string | null;
  /** Null if it was sent without one. */
  readonly eventId: string | null;
  readonly origin: Origin;
  readonly receivedAt: number;
}

/** Size in bytes of a row of a range. */
const PIECE_BYTES = 256 * 1024;

/** Properties up to this size, in bytes, are read with many events at once. */
const SHORT_BYTES = 4096;

/** An event of a page. */
export interface PagedEvent extends StoredEvent {
  /** Size in bytes of properties that were omitted because they exceed a page; 0 if they are included. */
  readonly leftOut: number;
}

/** Numbers of events above `after`, up to `upTo`. */
export interface EventRange {
  readonly after: number;
  readonly upTo: number;
}

/**
 * Per engine: a range of bytes of the properties. Both read the whole value for any range of it. PostgreSQL returns the
 * range in rows of PIECE_BYTES, because the driver decodes a row at once, and each byte as one Latin-1 character: the
 * driver takes several times as long for a bytea, which is sent as hexadecimal digits.
 */
const RANGE = {
  sqlite: `SELECT substr(CAST(properties AS BLOB), ?, ?) AS piece FROM event WHERE workspace_id = ? AND number = ?`,
  postgres: `SELECT convert_from(substr(e.range, i.first, ${PIECE_BYTES}), 'LATIN1') AS piece
    FROM (SELECT substr(convert_to(properties, 'UTF8'), ?::int, ?::int) AS range FROM event
      WHERE workspace_id = ? AND number = ? OFFSET 0) AS e
    CROSS JOIN LATERAL generate_series(1, octet_length(e.range), ${PIECE_BYTES}) AS i(first)
    ORDER BY i.first`,
} as const;

/** Which events of a range are read: those for which every condition that is given holds. */
export interface EventConditions {
  /** Users and event names, at most MAX_LISTED of each. */
  readonly userIds?: readonly string[];
  readonly names?: readonly string[];
  /** Origins. */
  readonly origins?: readonly string[];
  /** Text that the properties contain as they were sent, unless they have an escape. */
  readonly property?: string;
  /** Text that the user, the name or the properties contain, unless the properties have an escape. */
  readonly text?: string;
}

/** More values of a condition are not passed to the database: each number of them would be another statement. */
export const MAX_LISTED = 4;
const LISTED = Array.from({ length: MAX_LISTED }, () => '?').join(', ');
/** Function of the position of a text in another. */
const POSITION = { sqlite: 'instr', postgres: 'strpos' } as const;

const ORIGIN = `coalesce(origin, 'server') AS origin`;
const COLUMNS = `number, user_id AS "userId", event, timestamp, event_id AS "eventId",
        ${ORIGIN}, received_at AS "receivedAt",
        CASE WHEN octet_length(properties) <= ${PAGE_BYTES} THEN properties END AS properties,
        CASE WHEN octet_length(properties) > ${PAGE_BYTES} THEN octet_length(properties) ELSE 0 END AS "leftOut"`;
/** Properties of up to SHORT_BYTES, and whether larger ones were left out. */
const SHORT = `CASE WHEN octet_length(properties) <= ${SHORT_BYTES} THEN properties END AS properties,
         CASE WHEN octet_length(properties) > ${SHORT_BYTES} THEN 1 ELSE 0 END AS "leftOut"`;
const LONG = ['user_id', 'event', 'properties'];

export const events = {
  append: appendEvents,

  /** Up to `limit` events of a workspace with these names and a number in (`after`, `upTo`]. */
  async named(
    tx: Tx,
    workspaceId: string,
    names: readonly string[],
    after: number,
    upTo: number,
    limit: number,
  ): Promise<Pick<StoredEvent, 'number' | 'userId' | 'event' | 'timestamp'>[]> {
    const { text, param } = listed(tx.sql.dialect, 'event', names);
    return tx.sql.all(
      `SELECT number, user_id AS "userId", event, timestamp FROM event
       WHERE workspace_id = ? AND number > ? AND number <= ? AND ${text}
       ORDER BY number LIMIT ?`,
      [workspaceId, after, upTo, param, limit],
    );
  },

  /** Like `named`, with the properties of up to SHORT_BYTES; of larger ones only that there are any. */
  async namedWithProperties(
    tx: Tx,
    workspaceId: string,
    names: readonly string[],
    after: number,
    upTo: number,
    limit: number,
  ): Promise<(Omit<StoredEvent, 'receivedAt'> & { readonly leftOut: number })[]> {
    const { text, param } = listed(tx.sql.dialect, 'event', names);
    const rows = await tx.sql.all<Omit<StoredEvent, 'receivedAt'> & { leftOut: number }>(
      `SELECT number, user_id AS "userId", event, timestamp, ${ORIGIN}, ${SHORT} FROM event
       WHERE workspace_id = ? AND number > ? AND number <= ? AND ${text}
       ORDER BY number LIMIT ?`,
      [workspaceId, after, upTo, param, limit],
    );
    return rows.map((row) => ({ ...row, number: Number(row.number), leftOut: Number(row.leftOut) }));
  },

  /** The latest events of a workspace, up to `limit`, newest first, with properties as in `namedWithProperties`. */
  async latest(
    tx: Tx,
    workspaceId: string,
    limit: number,
  ): Promise<(Pick<StoredEvent, 'event' | 'properties'> & { readonly leftOut: number })[]> {
    const rows = await tx.sql.all<Pick<StoredEvent, 'event' | 'properties'> & { leftOut: number }>(
      `SELECT event, ${SHORT} FROM event WHERE workspace_id = ? ORDER BY number DESC LIMIT ?`,
      [workspaceId, limit],
    );
    return rows.map((row) => ({ ...row, leftOut: Number(row.leftOut) }));
  },

  /** Deletes events. */
  async delete(tx: Tx, workspaceId: string, removed: readonly Pick<StoredEvent, 'number'>[]): Promise<void> {
    const numbers = removed.map(({ number }) => number);
    const { text, param } = listedNumbers(tx.sql.dialect, 'number', numbers);
    await tx.sql.run(`DELETE FROM event WHERE workspace_id = ? AND ${text}`, [workspaceId, param]);
  },

  /** How often each name occurs among the events of a workspace after a number. */
  async namesAfter(tx: Tx, workspaceId: string, after: number): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.sql.all<{ event: string; count: number }>(
      'SELECT event, count(*) AS count FROM event WHERE workspace_id = ? AND number > ? GROUP BY event',
      [workspaceId, after],
    );
    return new Map(rows.map(({ event, count }) => [event, Number(count)]));
  },

  /** The properties of events by their numbers, of up to `most` bytes; of larger ones the size. */
  async propertiesOf(
    tx: Tx,
    workspaceId: string,
    numbers: readonly number[],
    most: number,
  ): Promise<ReadonlyMap<number, { readonly properties: string | null; readonly bytes: number }>> {
    const { text, param } = listedNumbers(tx.sql.dialect, 'number', numbers);
    const rows = await tx.sql.all<{ number: number; properties: string | null; bytes: number }>(
      `SELECT number, CASE WHEN octet_length(properties) <= ? THEN properties END AS properties,
         octet_length(properties) AS bytes FROM event
       WHERE workspace_id = ? AND properties IS NOT NULL AND ${text}`,
      [most, workspaceId, param],
    );
    return new Map(rows.map(({ number, ...row }) => [Number(number), { ...row, bytes: Number(row.bytes) }]));
  },

  /** The properties of one event, of any size. */
  async properties(tx: Tx, workspaceId: string, number: number): Promise<string | null> {
    const row = await tx.sql.get<{ properties: string | null }>(
      'SELECT properties FROM event WHERE workspace_id = ? AND number = ?',
      [workspaceId, number],
    );
    return row?.properties ?? null;
  },

  /**
   * A page of the events of a workspace after a number, oldest first. Properties larger than PAGE_BYTES are omitted; read
   * them with `range`.
   */
  async after(tx: Tx, workspaceId: string, number: number, limit: number): Promise<Page<PagedEvent>> {
    return readPage<PagedEvent>(tx, {
      columns: COLUMNS,
      long: LONG,
      from: 'event WHERE workspace_id = ? AND number > ?',
      params: [workspaceId, number],
      order: 'number',
      limit,
    });
  },

  /** A page of the events with a number in (`after`, `upTo`] that meet the conditions, like `after`. */
  async matching(
    tx: Tx,
    workspaceId: string,
    { after, upTo }: EventRange,
    conditions: EventConditions,
    limit: number,
  ): Promise<Page<PagedEvent>> {
    const { text, params } = conditionsIn(tx, conditions);
    return readPage<PagedEvent>(tx, {
      columns: COLUMNS,
      long: LONG,
      from: `event WHERE workspace_id = ? AND number > ? AND number <= ?${text}`,
      params: [workspaceId, after, upTo, ...params],
      order: 'number',
      limit,
    });
  },

  /** Counts the events with a number in (`after`, `upTo`] that meet the conditions. */
  async count(
    tx: Tx,
    workspaceId: string,
    { after, upTo }: EventRange,
    conditions: EventConditions,
  ): Promise<number> {
    const { text, params } = conditionsIn(tx, conditions);
    const row = await tx.sql.get<{ count: number }>(
      `SELECT count(*) AS count FROM event WHERE workspace_id = ? AND number > ? AND number <= ?${text}`,
      [workspaceId, after, upTo, ...params],
    );
    return row!.count;
  },

  /** The number of the oldest event of a workspace; undefined if it has none. */
  async oldest(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ number: number }>(
      'SELECT number FROM event WHERE workspace_id = ? ORDER BY number LIMIT 1',
      [workspaceId],
    );
    return row?.number;
  },

  /** A number such that all events up to it came before a time, Unix ms; at most `newest`. */
  async beforeTime(tx: Tx, workspaceId: string, time: number, newest: number): Promise<number> {
    let from = await this.beforeOldest(tx, workspaceId, newest);
    for (let to = newest; from < to; ) {
      const middle = Math.floor((from + to + 1) / 2);
      const row = await tx.sql.get<{ number: number; at: number }>(
        `SELECT number, received_at AS at FROM event WHERE workspace_id = ? AND number >= ? AND number <= ?
         ORDER BY number LIMIT 1`,
        [workspaceId, middle, to],
      );
      if (row && Number(row.at) < time) from = Number(row.number);
      else to = middle - 1;
    }
    return from;
  },

  /** The number before the oldest event of a workspace; that of the newest one of all if none is left. */
  async beforeOldest(tx: Tx, workspaceId: string, newest: number): Promise<number> {
    const row = await tx.sql.get<{ number: number | null }>(
      'SELECT min(number) AS number FROM event WHERE workspace_id = ?',
      [workspaceId],
    );
    return row?.number == null ? newest : row.number - 1;
  },

  /** Up to `bytes` bytes of an event's properties, starting at the offset `from`, in one or more pieces. */
  async range(
    tx: Tx,
    workspaceId: string,
    number: number,
    from: number,
    bytes: number,
  ): Promise<Uint8Array[]> {
    const rows = await tx.sql.all<{ piece: Uint8Array | string }>(RANGE[tx.sql.dialect.name], [
      from + 1,
      bytes,
      workspaceId,
      number,
    ]);
    if (rows.length === 0) throw new Error(`event ${number} is gone`);
    return rows.map(({ piece }) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece));
  },
};

/** The end of a WHERE clause. There are few different ones, because each is a statement that stays prepared. */
function conditionsIn(
  { sql }: Tx,
  { userIds, names, origins, property, text }: EventConditions,
): { text: string; params: string[] } {
  const position = POSITION[sql.dialect.name];
  const isEscaped = `${position}(properties, '\\') > 0`;
  const oneOf = (column: string, values: readonly string[] | undefined) =>
    values ? { text: ` AND ${column} IN (${LISTED})`, params: padded(values) } : undefined;
  const contains = (columns: readonly string[], sought: string | undefined) =>
    sought === undefined
      ? undefined
      : {
          text: ` AND (${columns.map((column) => `${position}(${column}, ?) > 0`).join(' OR ')} OR ${isEscaped})`,
          params: columns.map(() => sought),
        };
  const given = [
    oneOf('user_id', userIds),
    oneOf('event', names),
    oneOf(`coalesce(origin, 'server')`, origins),
    contains(['properties'], property),
    contains(['properties', 'event', 'user_id'], text),
  ].filter((each) => each !== undefined);
  return { text: given.map((each) => each.text).join(''), params: given.flatMap((each) => each.params) };
}

const padded = (values: readonly string[]) =>
  Array.from({ length: MAX_LISTED }, (_, i) => values[Math.min(i, values.length - 1)]!);
