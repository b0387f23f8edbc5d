import { type WorkerPlatform, worker } from '../../platform/workers/worker.ts';
import { apiKeys } from './api-keys.ts';

/** Interval at which the keys of open streams are checked. */
const CHECK_MS = 1000;

export interface KeyWatch {
  /**
   * Calls `onEnd` when the key with this hash is revoked or deleted; never without a key. Returns a function that ends
   * the watch.
   */
  watch(keyHash: string | undefined, onEnd: () => void): () => void;
  stop(): Promise<void>;
}

/** Watches the keys of open streams for their end: a stream outlives the check of its request. */
export function watchKeys(platform: WorkerPlatform): KeyWatch {
  const watched = new Map<string, Set<() => void>>();
  const { stop } = worker(platform, {
    name: 'the key watch',
    pause: CHECK_MS,
    work: async () => {
      const hashes = [...watched.keys()];
      if (hashes.length === 0) return false;
      const valid = await platform.store.read((tx) => apiKeys.valid(tx, hashes));
      for (const hash of hashes) if (!valid.has(hash)) for (const onEnd of watched.get(hash) ?? []) onEnd();
      return false;
    },
  });
  return {
    watch(keyHash, onEnd) {
      if (keyHash === undefined) return () => {};
      const callbacks = watched.get(keyHash) ?? new Set();
      watched.set(keyHash, callbacks.add(onEnd));
      return () => {
        callbacks.delete(onEnd);
        if (callbacks.size === 0 && watched.get(keyHash) === callbacks) watched.delete(keyHash);
      };
    },
    stop,
  };
}
