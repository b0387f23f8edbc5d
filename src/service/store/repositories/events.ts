import { PAGE_BYTES, type Page, readPage } from '../pages.ts';
import type { Tx } from '../store.ts';

export interface StoredEvent {
  readonly seq: number;
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  /** JSON text as it was sent, so that big integers and the spelling of numbers survive; null where there was none. */
  readonly properties: string | null;
  readonly receivedAt: number;
}

/** The lock that ingest shares, and whoever changes which events are indexed has alone. */
export const INDEX_LOCK = 'event index';

/** Class of the locks that announce ingest under way: see SETTLED. */
const UNDER_WAY = 7_300_219;

/** How each engine unpacks the `events` array of a body, without a round trip through JavaScript numbers. */
const INSERT_BATCH = {
  sqlite: `INSERT INTO event (workspace_id, user_id, event, timestamp, properties, received_at)
    SELECT ?, value ->> '$.userId', value ->> '$.event', value ->> '$.timestamp', value -> '$.properties', ?
    FROM json_each(?, '$.events') ORDER BY key`,
  postgres: `WITH announced AS MATERIALIZED (
      SELECT pg_advisory_xact_lock_shared(hashtextextended('${INDEX_LOCK}', 0)),
        pg_advisory_xact_lock_shared(${UNDER_WAY}, mod(CASE WHEN is_called THEN last_value ELSE 0 END, 2147483648)::int)
      FROM event_seq_seq)
    INSERT INTO event (workspace_id, user_id, event, timestamp, properties, received_at)
    SELECT ?, e."userId", e.event, e.timestamp, e.properties::text, ?
    FROM announced,
      json_to_recordset((?)::json -> 'events') AS e("userId" text, event text, timestamp text, properties json)`,
} as const;

/**
 * The number up to which every event is committed. PostgreSQL gives numbers before the commit, so a lower one may show
 * after a higher one, and a reader that goes by number would pass it over. So each transaction announces, by a lock
 * that all may share, the last number given before its own; the lowest of them bounds what is settled. The sequence is
 * read before the locks: who announces later gets later numbers.
 */
const SETTLED = {
  sqlite: 'SELECT max(seq) AS seq FROM event',
  postgres: `WITH given AS MATERIALIZED (
      SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS seq FROM event_seq_seq)
    SELECT seq - COALESCE((
      SELECT max(mod(given.seq - l.objid::bigint + 2147483648 * 2, 2147483648)) FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.classid = ${UNDER_WAY} AND l.objsubid = 2 AND l.granted
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())), 0) AS seq
    FROM given`,
} as const;

/** An event of a page. */
export interface PagedEvent extends StoredEvent {
  /** Bytes of properties that were left out, being too many for a page; 0 where they are there. */
  readonly leftOut: number;
}

/** How each engine cuts bytes out of a text. */
const PIECE = {
  sqlite: 'substr(CAST(properties AS BLOB), ?, ?)',
  postgres: "substring(convert_to(properties, 'UTF8') FROM ?::int FOR ?::int)",
} as const;

export const events = {
  /** Stores a checked ingest body as it stands. Returns the number of events stored. */
  async append(tx: Tx, workspaceId: string, body: string): Promise<number> {
    const stored = await tx.sql.run(INSERT_BATCH[tx.sql.dialect.name], [workspaceId, tx.now, body]);
    await tx.notify('events');
    return stored;
  },

  /**
   * The number up to which all events of all workspaces are there; 0 where there is none. Ask for it in a transaction
   * before the one that reads them.
   */
  async settled(tx: Tx): Promise<number> {
    const row = await tx.sql.get<{ seq: number | null }>(SETTLED[tx.sql.dialect.name]);
    return Number(row?.seq ?? 0);
  },

  /** Up to `most` events of these names with a sequence number above `after` and up to `upTo`, of all workspaces. */
  async named(
    tx: Tx,
    names: readonly string[],
    after: number,
    upTo: number,
    most: number,
  ): Promise<(Pick<StoredEvent, 'seq' | 'userId' | 'event' | 'timestamp'> & { workspaceId: string })[]> {
    const places = names.map(() => '?').join(', ');
    return tx.sql.all(
      `SELECT seq, workspace_id AS "workspaceId", user_id AS "userId", event, timestamp
       FROM event WHERE seq > ? AND seq <= ? AND event IN (${places}) ORDER BY seq LIMIT ?`,
      [after, upTo, ...names, most],
    );
  },

  /**
   * A page of the events of a workspace with a sequence number above `seq` and up to `upTo`, oldest first. Properties
   * of more than PAGE_BYTES are left out, and read piece by piece (`piece`).
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

  /** So many bytes of an event's properties from a place on; fewer at the end. */
  async piece(tx: Tx, seq: number, from: number, bytes: number): Promise<Uint8Array> {
    const row = await tx.sql.get<{ piece: Uint8Array }>(
      `SELECT ${PIECE[tx.sql.dialect.name]} AS piece FROM event WHERE seq = ?`,
      [from + 1, bytes, seq],
    );
    if (!row) throw new Error(`event ${seq} is gone`);
    return row.piece;
  },
};
