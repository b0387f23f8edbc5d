import { isTap } from '../../../contract/event-kinds.ts';
import type { Tx } from '../../platform/store/store.ts';

/** What a transaction has read, by workspace. */
const read = new WeakMap<Tx, Map<string, Promise<ReadonlySet<string>>>>();

/** 1 for a subscription that names kinds other than taps: an index has only these. */
export const namesMore = (events: readonly string[]): number => Number(!events.every(isTap));

/**
 * The kinds that subscriptions name, if they name others than taps. Those of disabled ones count: they may ask for what they
 * missed. Read once in a transaction, from an index that is empty where only taps are named.
 */
export function namedKinds(tx: Tx, workspaceId: string): Promise<ReadonlySet<string>> {
  const of = read.get(tx) ?? new Map<string, Promise<ReadonlySet<string>>>();
  read.set(tx, of);
  let kinds = of.get(workspaceId);
  if (!kinds) {
    kinds = tx.sql
      .all<{ events: string }>(
        'SELECT DISTINCT events FROM webhook WHERE workspace_id = ? AND names_more = 1',
        [workspaceId],
      )
      .then((rows) => new Set(rows.flatMap(({ events }) => JSON.parse(events) as string[])));
    of.set(workspaceId, kinds);
  }
  return kinds;
}
