import type { Audience } from '../domain/decide/content.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import { recentEvents } from '../store/repositories/recent-events.ts';
import type { KnownUser } from '../store/repositories/users.ts';
import type { Tx } from '../store/store.ts';

const DAY_MS = 86_400_000;

/** Reads what the rules of the catalog may ask about a user. */
export async function audienceOf(
  tx: Tx,
  workspaceId: string,
  user: KnownUser | undefined,
  now: number,
  deps: ServiceDeps,
): Promise<Audience> {
  if (!user) return { traits: {}, events: new Map() };
  const catalog = await deps.catalogs.of(tx, workspaceId);
  const windows = catalog.windows.map(({ key, event, withinDays, enough }) => ({
    key,
    event,
    since: now - withinDays * DAY_MS,
    enough,
  }));
  return { traits: user.traits, events: await recentEvents.count(tx, workspaceId, user.userId, windows) };
}
