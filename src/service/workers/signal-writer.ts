import type { ServiceDeps } from '../runtime/deps.ts';
import { userSignals } from '../store/repositories/user-signals.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 250;
/** Pairs of one transaction: some milliseconds of work. */
const CHUNK = 400;

/** Stores what ingest counted of each user's events. What a crash loses of it is made up by later events. */
export function startSignalWriter({ store, clock, log, signals }: ServiceDeps): Worker {
  const worker = repeat('the writer of event counts', clock, log, PAUSE_MS, async () => {
    const taken = signals.take(CHUNK);
    if (taken.length > 0)
      await store.write((tx) => userSignals.add(tx, taken), { durable: false, bulk: true });
    return false;
  });
  return {
    ...worker,
    idle: async () => signals.waiting === 0,
    stop: async () => {
      await worker.stop();
      while (signals.waiting > 0) {
        const taken = signals.take(CHUNK);
        await store
          .write((tx) => userSignals.add(tx, taken), { durable: false, bulk: true })
          .catch(() => undefined);
      }
    },
  };
}
