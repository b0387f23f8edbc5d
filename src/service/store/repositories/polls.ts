import type { Tx } from '../store.ts';

/** A poll is written down again only after this long. */
const GRAIN_MS = 60_000;

/** Where apps poll for messages: there a decision counts from when its message was served. */
export const polls = {
  /** Takes note of a poll now; an empty channel is a poll that names none. */
  async seen(tx: Tx, workspaceId: string, channel: string): Promise<void> {
    await tx.sql.run(
      `INSERT INTO polled_channel (workspace_id, channel, at_ms) VALUES (?, ?, ?)
       ON CONFLICT (workspace_id, channel) DO UPDATE SET at_ms = excluded.at_ms
       WHERE polled_channel.at_ms < excluded.at_ms - ${GRAIN_MS}`,
      [workspaceId, channel, tx.now],
    );
  },

  /** Whether a channel was polled since an instant, unix ms. */
  async since(tx: Tx, workspaceId: string, channel: string, since: number): Promise<boolean> {
    const row = await tx.sql.get(
      `SELECT 1 AS one FROM polled_channel
       WHERE workspace_id = ? AND (channel = '' OR channel = ?) AND at_ms >= ? LIMIT 1`,
      [workspaceId, channel, since],
    );
    return row !== undefined;
  },
};
