import type { Audience } from '../catalog/content.ts';
import type { Catalogs } from '../catalog/follow.ts';
import { recentEvents } from '../events/store/recent-events.ts';
import type { Tx } from '../platform/store/store.ts';
import type { KnownUser } from '../users/store/users.ts';

const DAY_MS = 86_400_000;

/** Reads what the rules of the catalog may ask about a user. */
export async function audienceOf(
  tx: Tx,
  workspaceId: string,
  user: KnownUser | undefined,
  now: number,
  catalogs: Catalogs,
): Promise<Audience> {
  if (!user) return { traits: {}, events: new Map() };
  const catalog = await catalogs.of(tx, workspaceId);
  const windows = catalog.windows.map(({ key, event, withinDays, enough }) => ({
    key,
    event,
    since: now - withinDays * DAY_MS,
    enough,
  }));
  return { traits: user.traits, events: await recentEvents.count(tx, workspaceId, user.userId, windows) };
}
