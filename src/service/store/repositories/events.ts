import { PAGE_BYTES, type Page, readPage } from '../pages.ts';
import type { Tx } from '../store.ts';

export interface StoredEvent {
  readonly seq: number;
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  /** The JSON text as received, which preserves big integers and number formats; null if the event has none. */
  readonly properties: string | null;
  readonly receivedAt: number;
}

/** Name of the lock that ingest takes shared, and a change of the indexed event names takes exclusively. */
export const INDEX_LOCK = 'event index';

/** Class of the advisory locks that mark running ingest transactions: see SETTLED. */
const INGEST_LOCK_CLASS = 7_300_219;

/** Per engine: inserts the `events` array of a body, without converting values to JavaScript numbers. */
const INSERT_BATCH = {
  sqlite: `INSERT INTO event (workspace_id, user_id, event, timestamp, properties, received_at)
    SELECT ?, value ->> '$.userId', value ->> '$.event', value ->> '$.timestamp', value -> '$.properties', ?
    FROM json_each(?, '$.events') ORDER BY key`,
  postgres: `WITH announced AS MATERIALIZED (
      SELECT pg_advisory_xact_lock_shared(hashtextextended('${INDEX_LOCK}', 0)),
        pg_advisory_xact_lock_shared(${INGEST_LOCK_CLASS}, mod(CASE WHEN is_called THEN last_value ELSE 0 END, 2147483648)::int)
      FROM event_seq_seq)
    INSERT INTO event (workspace_id, user_id, event, timestamp, properties, received_at)
    SELECT ?, e."userId", e.event, e.timestamp, e.properties::text, ?
    FROM announced,
      json_to_recordset((?)::json -> 'events') AS e("userId" text, event text, timestamp text, properties json)`,
} as const;

/**
 * The sequence number up to which every event is committed. PostgreSQL assigns numbers before the commit, so a lower
 * number may become visible after a higher one, and a reader that pages by number would miss it. Each ingest
 * transaction therefore publishes, as the key of a shared advisory lock, the last number assigned before its own; the
 * lowest of them is the bound. The sequence is read before the locks, because later transactions get higher numbers.
 */
const SETTLED = {
  sqlite: 'SELECT max(seq) AS seq FROM event',
  postgres: `WITH given AS MATERIALIZED (
      SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS seq FROM event_seq_seq)
    SELECT seq - COALESCE((
      SELECT max(mod(given.seq - l.objid::bigint + 2147483648 * 2, 2147483648)) FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.classid = ${INGEST_LOCK_CLASS} AND l.objsubid = 2 AND l.granted
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())), 0) AS seq
    FROM given`,
} as const;

/** An event of a page. */
export interface PagedEvent extends StoredEvent {
  /** Size in bytes of properties that were omitted because they exceed a page; 0 if they are included. */
  readonly leftOut: number;
}

/** Per engine: a range of bytes of the properties. */
const PIECE = {
  sqlite: 'substr(CAST(properties AS BLOB), ?, ?)',
  postgres: "substring(convert_to(properties, 'UTF8') FROM ?::int FOR ?::int)",
} as const;

export const events = {
  /** Stores a validated ingest body. Returns the number of events. */
  async append(tx: Tx, workspaceId: string, body: string): Promise<number> {
    const stored = await tx.sql.run(INSERT_BATCH[tx.sql.dialect.name], [workspaceId, tx.now, body]);
    await tx.notify('events');
    return stored;
  },

  /**
   * The sequence number up to which all events of all workspaces are committed; 0 if there are none. Call it in a
   * transaction before the one that reads them.
   */
  async settled(tx: Tx): Promise<number> {
    const row = await tx.sql.get<{ seq: number | null }>(SETTLED[tx.sql.dialect.name]);
    return Number(row?.seq ?? 0);
  },

  /** Up to `most` events of all workspaces with these names and a sequence number in (`after`, `upTo`]. */
  async named(
    tx: Tx,
    names: readonly string[],
    after: number,
    upTo: number,
    most: number,
  ): Promise<(Pick<StoredEvent, 'seq' | 'userId' | 'event' | 'timestamp'> & { workspaceId: string })[]> {
    const placeholders = names.map(() => '?').join(', ');
    return tx.sql.all(
      `SELECT seq, workspace_id AS "workspaceId", user_id AS "userId", event, timestamp
       FROM event WHERE seq > ? AND seq <= ? AND event IN (${placeholders}) ORDER BY seq LIMIT ?`,
      [after, upTo, ...names, most],
    );
  },

  /**
   * A page of the events of a workspace with a sequence number in (`seq`, `upTo`], oldest first. Properties larger than
   * PAGE_BYTES are omitted; read them with `piece`.
   */
  async after(
    tx: Tx,
    workspaceId: string,
    seq: number,
    upTo: number,
    most: number,
  ): Promise<Page<PagedEvent>> {
    const { rows, more } = await readPage<PagedEvent>(tx, {
      columns: `seq, user_id AS "userId", event, timestamp, received_at AS "receivedAt",
        CASE WHEN octet_length(properties) <= ${PAGE_BYTES} THEN properties END AS properties,
        CASE WHEN octet_length(properties) > ${PAGE_BYTES} THEN octet_length(properties) ELSE 0 END AS "leftOut"`,
      long: ['user_id', 'event', 'properties'],
      from: 'event WHERE workspace_id = ? AND seq > ? AND seq <= ?',
      params: [workspaceId, seq, upTo],
      order: 'seq',
      most,
    });
    return { rows: rows.map((row) => ({ ...row, leftOut: Number(row.leftOut) })), more };
  },

  /** Up to `bytes` bytes of an event's properties, starting at the offset `from`. */
  async piece(tx: Tx, seq: number, from: number, bytes: number): Promise<Uint8Array> {
    const row = await tx.sql.get<{ piece: Uint8Array }>(
      `SELECT ${PIECE[tx.sql.dialect.name]} AS piece FROM event WHERE seq = ?`,
      [from + 1, bytes, seq],
    );
    if (!row) throw new Error(`event ${seq} is gone`);
    return row.piece;
  },
};
