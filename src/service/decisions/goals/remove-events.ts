import type { Catalog } from '../../catalog/catalog.ts';
import { eventHeads } from '../../events/store/event-heads.ts';
import type { StoredEvent } from '../../events/store/events.ts';
import { hashId as hashOf } from '../../platform/crypto/hash-id.ts';
import { erasingUsers } from '../../platform/store/erasing-users.ts';
import type { Tx } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { removeGoalEvents } from './apply.ts';
import { inForce } from './count-step.ts';
import { formulaBy } from './formula.ts';
import { readEvent } from './rules/attribution.ts';
import { definitions } from './store/definitions.ts';
import { goalEvents } from './store/goal-events.ts';

/**
 * Takes back what events count that are deleted in this transaction, as if they had never come: what they earned, what they
 * corrected, and the counts of their goals. The caller holds the lock of `lockGoals`.
 */
export async function removeFromGoals(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  removed: readonly Omit<StoredEvent, 'receivedAt' | 'eventId'>[],
): Promise<void> {
  const stored = await definitions.all(tx, workspaceId);
  if (stored.length === 0) return;
  const counted = inForce(catalog, stored);
  const erasing = (await eventHeads.isErasing(tx, workspaceId))
    ? await erasingUsers.all(tx, workspaceId)
    : new Set<string>();
  const key = await workspaces.hashKey(tx, workspaceId);
  for (const goal of stored) {
    const definition = counted.get(goal.goal);
    if (!definition) continue;
    const sums = { events: 0, clipped: 0, unreadable: 0 };
    for (const event of removed) {
      const wasCounted = event.number > goal.firstNumber && event.number <= goal.number;
      const read = wasCounted ? readEvent(definition, event) : undefined;
      if (!read || (erasing.size > 0 && erasing.has(hashOf(key, event.userId)))) continue;
      if (read.kind === 'unreadable') sums.unreadable++;
      if (read.kind === 'counts') sums.events++;
      if (read.kind === 'counts' && read.clipped) sums.clipped++;
    }
    if (sums.events + sums.unreadable > 0)
      await definitions.proceed(tx, workspaceId, {
        ...goal,
        events: goal.events - sums.events,
        clipped: goal.clipped - sums.clipped,
        unreadable: goal.unreadable - sums.unreadable,
      });
  }
  const numbers = removed.map(({ number }) => number);
  const found = await goalEvents.numbered(tx, workspaceId, numbers);
  await removeGoalEvents(tx, workspaceId, counted, found, formulaBy(catalog, stored));
}

/** Waits until no other transaction counts events of a workspace, and keeps others from it until this one ends. */
export async function lockGoals(tx: Tx, workspaceId: string): Promise<void> {
  await definitions.lockForUpdate(tx, workspaceId);
}
