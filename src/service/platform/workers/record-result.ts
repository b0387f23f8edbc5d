import type { Platform } from '../platform.ts';
import { StoreUnavailable, type Tx, type WriteOptions } from '../store/store.ts';

/** How long to retry while the store is unavailable, and the pause between two attempts. */
const TIMEOUT_MS = 60_000;
const PAUSE_MS = 250;

/**
 * Stores the result of a finished attempt, and retries while the store is unavailable: a lost result would repeat a
 * delivery or leave the outcome of a notification unknown. `work` must be idempotent, because a failed commit may have
 * succeeded. Rejects with StoreUnavailable after a minute, or when `stopping` is aborted.
 */
export async function recordResult(
  { store, clock, precedence }: Pick<Platform, 'store' | 'clock' | 'precedence'>,
  stopping: AbortSignal,
  work: (tx: Tx) => Promise<unknown>,
  options?: WriteOptions,
): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      await precedence.yieldToRequests();
      await store.write(work, options);
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || waited >= TIMEOUT_MS || stopping.aborted) throw error;
      await clock.sleep(PAUSE_MS, stopping).catch(() => {});
    }
  }
}
