import type { ServiceDeps } from '../runtime/deps.ts';
import { workspaces } from '../store/repositories/workspaces.ts';
import { repeat } from '../workers/worker.ts';

/** How often the keys of open streams are looked up. */
const LOOK_MS = 1000;

export interface KeyWatch {
  /** Calls `gone` once the key of this hash is no longer there. Returns what ends the watch. */
  watch(keyHash: string, gone: () => void): () => void;
  stop(): Promise<void>;
}

/** Looks whether the keys of open streams are still there: a stream outlives the request that showed its key. */
export function watchKeys({ store, clock, log }: ServiceDeps): KeyWatch {
  const watched = new Map<string, Set<() => void>>();
  const loop = repeat('the look at keys', clock, log, LOOK_MS, async () => {
    const hashes = [...watched.keys()];
    if (hashes.length === 0) return false;
    const there = await store.read((tx) => workspaces.existingKeys(tx, hashes));
    for (const hash of hashes) if (!there.has(hash)) for (const gone of watched.get(hash) ?? []) gone();
    return false;
  });
  return {
    watch(keyHash, gone) {
      const own = watched.get(keyHash) ?? new Set();
      watched.set(keyHash, own.add(gone));
      return () => {
        own.delete(gone);
        if (own.size === 0 && watched.get(keyHash) === own) watched.delete(keyHash);
      };
    },
    stop: loop.stop,
  };
}
