import { settings } from '../../platform/store/settings.ts';
import type { Tx } from '../../platform/store/store.ts';

/** How long after a node with a provider was last seen others leave its channel to it, in ms. */
export const REMEMBERED_MS = 86_400_000;
/** How often a node says that it has a provider, in ms. */
export const SEEN_MS = 60_000;

const settingOf = (channel: string) => `provider of ${channel}`;

/** The channels for which some node on the store has a provider. */
export const providedChannels = {
  /** Stores that a node has a provider for a channel, unless one has said so just now. */
  async seen(tx: Tx, channel: string): Promise<void> {
    const at = await settings.get<number>(tx, settingOf(channel));
    if (at === undefined || at < tx.now - SEEN_MS / 2) await settings.set(tx, settingOf(channel), tx.now);
  },

  /** When a node with a provider for a channel was last seen, Unix ms; undefined if none was within a day. */
  async lastSeen(tx: Tx, channel: string): Promise<number | undefined> {
    const at = await settings.get<number>(tx, settingOf(channel));
    return at !== undefined && at > tx.now - REMEMBERED_MS ? at : undefined;
  },
};
