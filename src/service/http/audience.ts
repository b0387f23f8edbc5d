import type { ServiceDeps } from '../deps.ts';
import type { Audience } from '../domain/decide/content.ts';
import { recentEvents } from '../store/recent-events.ts';
import type { Tx } from '../store/store.ts';
import type { KnownUser } from '../store/users.ts';

const DAY_MS = 86_400_000;

/** What the rules of the catalog may ask about a user. */
export async function audienceOf(
  tx: Tx,
  workspaceId: string,
  user: KnownUser | undefined,
  now: number,
  deps: ServiceDeps,
): Promise<Audience> {
  const { events, lookBackDays } = deps.catalogue();
  if (!user) return { traits: {}, events: new Map() };
  if (events.size === 0) return { traits: user.traits, events: new Map() };
  const since = now - lookBackDays * DAY_MS;
  return { traits: user.traits, events: await recentEvents.ofUser(tx, workspaceId, user.userId, since) };
}
