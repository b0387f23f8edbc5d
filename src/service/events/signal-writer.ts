import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import type { EventSignals } from './event-signals.ts';
import { type SignalChange, userSignals } from './store/user-signals.ts';

const PAUSE_MS = 250;
/** Pairs of one transaction: some milliseconds of work. */
const CHUNK = 400;

/** Stores what ingest counted of each user's events. What a crash loses of it is made up by later events. */
export function startSignalWriter(platform: WorkerPlatform, signals: EventSignals): Worker {
  const { store } = platform;
  const add = async (taken: readonly SignalChange[]): Promise<void> => {
    // On a distributed database one worker may be lost, and a transaction is cheaper on one worker.
    let failure: unknown;
    for (const part of store.workers ? byWorkspace(taken) : [taken])
      await store
        .write((tx) => userSignals.add(tx, part), { durable: false, bulk: true })
        .catch((error) => {
          failure = error;
        });
    if (failure) throw failure;
  };
  const writer = worker(platform, {
    name: 'the writer of event counts',
    pause: PAUSE_MS,
    work: async () => {
      const taken = signals.take(CHUNK);
      if (taken.length > 0) await add(taken);
      return false;
    },
    close: async () => {
      while (signals.waiting > 0) await add(signals.take(CHUNK)).catch(() => undefined);
    },
  });
  return { ...writer, idle: async () => signals.waiting === 0 };
}

function byWorkspace(changes: readonly SignalChange[]): Iterable<SignalChange[]> {
  const parts = new Map<string, SignalChange[]>();
  for (const change of changes) {
    const part = parts.get(change.workspaceId) ?? [];
    part.push(change);
    parts.set(change.workspaceId, part);
  }
  return parts.values();
}
