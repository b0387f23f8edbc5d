import type { Catalog } from '../../catalog/catalog.ts';
import { events as log } from '../../events/store/events.ts';
import { due } from '../../platform/store/due.ts';
import { removals } from '../../platform/store/retention/removals.ts';
import type { Tx } from '../../platform/store/store.ts';
import { definitions, type StoredGoal } from './store/definitions.ts';
import { goalCounts } from './store/goal-counts.ts';

const DAY_MS = 86_400_000;
/** For so long, decisions are counted by day. */
const KEPT_BY_DAY_MS = 400 * DAY_MS;
/** Every node knows a new catalog within this time, in ms. */
const SPREAD_MS = 2000;

/**
 * Adds the definitions of a catalog that are new, and returns all. Their events, up to the number `newest`, are counted from
 * the oldest one that is kept. One transaction at a time: it has locked what the rewards of the workspace follow.
 */
export async function defineGoals(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  newest: number,
): Promise<StoredGoal[]> {
  const stored = await definitions.all(tx, workspaceId);
  const known = new Set(stored.map(({ definition }) => definition));
  const fresh = catalog.goals.filter(({ definition }) => !known.has(definition));
  if (fresh.length === 0) return stored;
  const oldest = await log.beforeOldest(tx, workspaceId, newest);
  const since = await sinceOf(tx, workspaceId);
  const last = stored.at(-1)?.goal ?? 0;
  const added = fresh.map(({ goalId, definition }, i) => ({
    goal: last + 1 + i,
    goalId,
    definition,
    firstNumber: oldest,
    number: oldest,
    readyNumber: newest,
    since,
    events: 0,
    clipped: 0,
    unreadable: 0,
  }));
  for (const goal of added) {
    await definitions.add(tx, workspaceId, goal);
    if (since > 0) await goalCounts.leaveOut(tx, workspaceId, goal.goal, since);
  }
  // A node that does not know the catalog yet stores events and says nothing of them.
  await due.mark(tx, workspaceId, 'goals', tx.now + SPREAD_MS);
  return [...stored, ...added];
}

/** From when on decisions can be counted for a new goal, Unix ms: their events and they themselves are stored. */
async function sinceOf(tx: Tx, workspaceId: string): Promise<number> {
  const removed = await Promise.all([
    removals.of(tx, workspaceId, 'events'),
    removals.of(tx, workspaceId, 'decisions'),
  ]);
  const before = Math.max(...removed.map((each) => each?.before ?? 0));
  if (before === 0) return 0;
  return Math.ceil(Math.max(before, tx.now - KEPT_BY_DAY_MS) / DAY_MS) * DAY_MS;
}
