import type { ServiceDeps } from '../runtime/deps.ts';
import { workspaces } from '../store/repositories/workspaces.ts';
import { repeat } from '../workers/worker.ts';

/** Interval at which the keys of open streams are checked. */
const CHECK_MS = 1000;

export interface KeyWatch {
  /** Calls `onDeleted` when the key with this hash is deleted. Returns a function that ends the watch. */
  watch(keyHash: string, onDeleted: () => void): () => void;
  stop(): Promise<void>;
}

/** Watches the keys of open streams for deletion: a stream outlives the check of its request. */
export function watchKeys({ store, clock, log }: ServiceDeps): KeyWatch {
  const watched = new Map<string, Set<() => void>>();
  const loop = repeat('the key watch', clock, log, CHECK_MS, async () => {
    const hashes = [...watched.keys()];
    if (hashes.length === 0) return false;
    const existing = await store.read((tx) => workspaces.existingKeys(tx, hashes));
    for (const hash of hashes)
      if (!existing.has(hash)) for (const onDeleted of watched.get(hash) ?? []) onDeleted();
    return false;
  });
  return {
    watch(keyHash, onDeleted) {
      const callbacks = watched.get(keyHash) ?? new Set();
      watched.set(keyHash, callbacks.add(onDeleted));
      return () => {
        callbacks.delete(onDeleted);
        if (callbacks.size === 0 && watched.get(keyHash) === callbacks) watched.delete(keyHash);
      };
    },
    stop: loop.stop,
  };
}
