import type { ServiceDeps } from '../runtime/deps.ts';
import { StoreUnavailable, type Tx, type WriteOptions } from '../store/store.ts';

/** How long a result is kept for a store that is away, and the pause between two attempts. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 250;

/**
 * Stores the result of work that was done, once the store takes it: a result that is lost makes a delivery again, or
 * leaves a notification in doubt. `work` must have no effect the second time, because a failure may hide a commit.
 * Rejects with StoreUnavailable after a minute, and when `stopping` fires.
 */
export async function writeDown(
  { store, clock }: Pick<ServiceDeps, 'store' | 'clock'>,
  stopping: AbortSignal,
  work: (tx: Tx) => Promise<unknown>,
  options?: WriteOptions,
): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      await store.write(work, options);
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || waited >= PATIENCE_MS || stopping.aborted) throw error;
      await clock.sleep(PAUSE_MS, stopping).catch(() => {});
    }
  }
}
