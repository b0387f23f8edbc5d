import { olderThan } from '../../platform/store/rows.ts';
import type { Store, Tx } from '../../platform/store/store.ts';

/** A poll is written down again only after this long. */
const GRAIN_MS = 60_000;

/** Channels of a workspace whose polls are stored. A caller may name any: beyond this, no further one is. */
export const MAX_CHANNELS = 256;

/** The longest look-back of a catalog, and a day. */
const KEPT_MS = 31 * 24 * 3600 * 1000;

/** Where apps poll for messages: there a decision counts from when its message was served. */
export const polls = {
  /** Takes note of a poll now; an empty channel is a poll that names none. */
  async seen(tx: Tx, workspaceId: string, channel: string): Promise<void> {
    await tx.sql.run(
      `INSERT INTO polled_channel (workspace_id, channel, at_ms) SELECT ?, ?, CAST(? AS BIGINT)
       WHERE EXISTS (SELECT 1 FROM polled_channel WHERE workspace_id = ? AND channel = ?)
         OR (SELECT count(*) FROM polled_channel WHERE workspace_id = ?) < ${MAX_CHANNELS}
       ON CONFLICT (workspace_id, channel) DO UPDATE SET at_ms = excluded.at_ms
       WHERE polled_channel.at_ms < excluded.at_ms - ${GRAIN_MS}`,
      [workspaceId, channel, tx.now, workspaceId, channel, workspaceId],
    );
  },

  /** True if `seen` would not write: a poll was taken note of lately. */
  async isNoted(tx: Tx, workspaceId: string, channel: string): Promise<boolean> {
    const row = await tx.sql.get(
      'SELECT 1 AS noted FROM polled_channel WHERE workspace_id = ? AND channel = ? AND at_ms >= ?',
      [workspaceId, channel, tx.now - GRAIN_MS],
    );
    return row !== undefined;
  },

  /** True if `seen` would not write, and no message waits for a user. Most polls are such: it takes one round trip. */
  async findNothing(
    store: Pick<Store, 'readOne'>,
    workspaceId: string,
    hashId: string,
    channel: string,
  ): Promise<boolean> {
    const noted = await store.readOne<{ at: number }>(
      `SELECT at_ms AS at FROM polled_channel WHERE workspace_id = ? AND channel = ?
       AND NOT EXISTS (SELECT 1 FROM message WHERE workspace_id = ? AND hash_id = ?)`,
      [workspaceId, channel, workspaceId, hashId],
    );
    return noted !== undefined && noted.at >= noted.now - GRAIN_MS;
  },

  /** Deletes up to `limit` polls beyond every look-back; returns how many. */
  purge: olderThan('polled_channel', 'channel', 'at_ms', KEPT_MS),

  /** When a channel was polled last, Unix ms; undefined if it was not. */
  async last(tx: Tx, workspaceId: string, channel: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number | null }>(
      `SELECT MAX(at_ms) AS at FROM polled_channel WHERE workspace_id = ? AND (channel = '' OR channel = ?)`,
      [workspaceId, channel],
    );
    return row?.at == null ? undefined : Number(row.at);
  },
};
