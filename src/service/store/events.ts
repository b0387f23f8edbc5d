import type { Tx } from './store.ts';

export interface StoredEvent {
  readonly seq: number;
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  /** JSON text as it was sent, so that big integers and the spelling of numbers survive; null where there was none. */
  readonly properties: string | null;
  readonly receivedAt: number;
}

/** How each engine unpacks the `events` array of a body, without a round trip through JavaScript numbers. */
const INSERT_BATCH = {
  sqlite: `INSERT INTO event (workspace_id, user_id, event, timestamp, properties, received_at)
    SELECT ?, value ->> '$.userId', value ->> '$.event', value ->> '$.timestamp', value -> '$.properties', ?
    FROM json_each(?, '$.events') ORDER BY key`,
  postgres: `INSERT INTO event (workspace_id, user_id, event, timestamp, properties, received_at)
    SELECT ?, e."userId", e.event, e.timestamp, e.properties::text, ?
    FROM json_to_recordset((?)::json -> 'events') AS e("userId" text, event text, timestamp text, properties json)`,
} as const;

export const events = {
  /** Stores a checked ingest body as it stands. Returns the number of events stored. */
  async append(tx: Tx, workspaceId: string, body: string): Promise<number> {
    const stored = await tx.sql.run(INSERT_BATCH[tx.sql.dialect.name], [workspaceId, tx.now, body]);
    await tx.notify('events');
    return stored;
  },

  /** The sequence number of a workspace's newest event, 0 where there is none. */
  async newest(tx: Tx, workspaceId: string): Promise<number> {
    // Not max(seq): that reads every event of the workspace.
    const row = await tx.sql.get<{ seq: number }>(
      'SELECT seq FROM event WHERE workspace_id = ? ORDER BY seq DESC LIMIT 1',
      [workspaceId],
    );
    return Number(row?.seq ?? 0);
  },

  /** The highest sequence number of all workspaces, 0 where there is no event. */
  async last(tx: Tx): Promise<number> {
    const row = await tx.sql.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM event');
    return Number(row?.seq ?? 0);
  },

  /** The events of these names with a sequence number above `after` and up to `upTo`, of all workspaces. */
  async named(
    tx: Tx,
    names: readonly string[],
    after: number,
    upTo: number,
  ): Promise<(Pick<StoredEvent, 'userId' | 'event' | 'timestamp'> & { workspaceId: string })[]> {
    const places = names.map(() => '?').join(', ');
    return tx.sql.all(
      `SELECT workspace_id AS "workspaceId", user_id AS "userId", event, timestamp
       FROM event WHERE seq > ? AND seq <= ? AND event IN (${places}) ORDER BY seq`,
      [after, upTo, ...names],
    );
  },

  /** Up to `most` events of a workspace after a sequence number, oldest first. */
  async after(tx: Tx, workspaceId: string, seq: number, most: number): Promise<StoredEvent[]> {
    return tx.sql.all<StoredEvent>(
      `SELECT seq, user_id AS "userId", event, timestamp, properties, received_at AS "receivedAt"
       FROM event WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
      [workspaceId, seq, most],
    );
  },
};
