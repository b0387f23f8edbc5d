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
    const row = await tx.sql.get<{ seq: number | null }>(
      'SELECT max(seq) AS seq FROM event WHERE workspace_id = ?',
      [workspaceId],
    );
    return Number(row?.seq ?? 0);
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
