import { seededRandom } from '../../kit/random.ts';
import type { Tx } from '../platform/store/store.ts';
import type { EventBatch } from './store/append.ts';
import { type SignalChange, userSignals } from './store/user-signals.ts';

/** Event names that are counted for users of a workspace: the most frequent ones. */
const FREQUENT = 12;
/** Names among which the frequent ones are found. */
const MAX_NAMES = 256;
/** Pairs of user and event that wait to be stored. Beyond it events are not counted: features may be approximate. */
const MAX_WAITING = 20_000;
/** Events of a batch by which the frequent names are found. */
const SAMPLE = 50;
const MAX_WORKSPACES = 1_000;

interface Waiting {
  count: number;
  last: number;
}

/** How often one event happened to a user, and the last time, Unix ms. */
export interface Signal {
  readonly event: string;
  readonly count: number;
  readonly last: number;
}

/**
 * Counts how often the frequent events of a workspace happened to each user, for the features of decisions. Ingest only
 * adds to a map of bounded size; a worker stores it in pieces, so that ingest at full speed is not held up.
 */
export class EventSignals {
  readonly #names = new Map<string, Map<string, number>>();
  readonly #waiting = new Map<string, Map<string, Map<string, Waiting>>>();
  readonly #random = seededRandom('event signals');
  #size = 0;

  /**
   * Counts the events of a batch that were stored. Reads none while too many wait: it makes a value of each.
   */
  note(
    workspaceId: string,
    batch: Pick<EventBatch, 'length' | 'at'>,
    isStored: (index: number, userId: string) => boolean = () => true,
  ): void {
    if (this.#size >= MAX_WAITING) return;
    const names = this.#namesOf(workspaceId);
    const stride = Math.max(1, Math.floor(batch.length / SAMPLE));
    for (let from = 0; from < batch.length; from += stride) {
      // One at random of each piece: at fixed distances, events that alternate would be missed.
      const { event } = batch.at(Math.min(from + Math.floor(stride * this.#random()), batch.length - 1));
      if (!names.has(event) && names.size >= MAX_NAMES) dropRarest(names);
      names.set(event, (names.get(event) ?? 0) + 1);
    }
    const frequent = new Set(
      [...names]
        .sort((a, b) => b[1] - a[1])
        .slice(0, FREQUENT)
        .map(([name]) => name),
    );
    for (let i = 0; i < batch.length && this.#size < MAX_WAITING; i++) {
      const { userId, event, timestamp } = batch.at(i);
      if (!frequent.has(event) || !isStored(i, userId)) continue;
      const at = Date.parse(timestamp);
      const users = getOrMake(this.#waiting, workspaceId, () => new Map<string, Map<string, Waiting>>());
      const ofUser = getOrMake(users, userId, () => new Map<string, Waiting>());
      const known = ofUser.get(event);
      if (known) {
        known.count++;
        known.last = Math.max(known.last, at);
      } else {
        ofUser.set(event, { count: 1, last: at });
        this.#size++;
      }
    }
  }

  /** What is known of a user, stored or still waiting. */
  async ofUser(tx: Tx, workspaceId: string, userId: string): Promise<Signal[]> {
    const signals = new Map(
      (await userSignals.ofUser(tx, workspaceId, userId)).map((signal) => [signal.event, signal]),
    );
    for (const [event, { count, last }] of this.#waiting.get(workspaceId)?.get(userId) ?? []) {
      const stored = signals.get(event);
      signals.set(event, {
        event,
        count: count + (stored?.count ?? 0),
        last: Math.max(last, stored?.last ?? 0),
      });
    }
    return [...signals.values()].sort((a, b) => (a.event < b.event ? -1 : 1));
  }

  get waiting(): number {
    return this.#size;
  }

  /** Takes up to `limit` of what waits, to be stored. */
  take(limit: number): SignalChange[] {
    const taken: SignalChange[] = [];
    for (const [workspaceId, users] of this.#waiting) {
      for (const [userId, events] of users) {
        for (const [event, { count, last }] of events)
          taken.push({ workspaceId, userId, event, count, last });
        users.delete(userId);
        this.#size -= events.size;
        if (taken.length >= limit) return taken;
      }
      this.#waiting.delete(workspaceId);
    }
    return taken;
  }

  #namesOf(workspaceId: string): Map<string, number> {
    if (!this.#names.has(workspaceId) && this.#names.size >= MAX_WORKSPACES)
      this.#names.delete(this.#names.keys().next().value!);
    return getOrMake(this.#names, workspaceId, () => new Map<string, number>());
  }
}

/** Makes room for a name; what remains is halved, so that names of the past give way. */
function dropRarest(names: Map<string, number>): void {
  const sorted = [...names].sort((a, b) => b[1] - a[1]).slice(0, MAX_NAMES / 2);
  names.clear();
  for (const [name, count] of sorted) names.set(name, count / 2);
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
