import { type Worker, type WorkerPlatform, worker } from '../../platform/workers/worker.ts';
import { apiKeys } from './api-keys.ts';

/** Interval at which uses are stored: at most one write per key and process in it. */
const STORE_MS = 60_000;
/** Keys per transaction. */
const KEYS_PER_WRITE = 100;

export interface KeyUses extends Worker {
  /** Remembers that a valid key was used now. */
  note(keyId: string): void;
}

/**
 * Stores when keys were last used, a minute later and when the service stops, apart from the requests. A process that is
 * killed loses the uses of its last minute. What is remembered is bounded by the keys in the store.
 */
export function startKeyUses(platform: WorkerPlatform): KeyUses {
  const { store, clock } = platform;
  let noted = new Map<string, number>();
  const flush = async () => {
    const used = [...noted];
    noted = new Map();
    for (let from = 0; from < used.length; from += KEYS_PER_WRITE)
      await store.write((tx) => apiKeys.markUsed(tx, used.slice(from, from + KEYS_PER_WRITE)), {
        durable: false,
        bulk: true,
      });
  };
  const writer = worker(platform, {
    name: 'the last use of keys',
    pause: STORE_MS,
    work: async () => {
      await flush();
      return false;
    },
    // Where the store does not answer, the last minute is lost as after a kill.
    close: () => flush().catch(() => {}),
  });
  return { ...writer, note: (keyId) => void noted.set(keyId, clock.now()) };
}
