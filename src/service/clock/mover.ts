import { due, LANES } from '../platform/store/due.ts';
import type { Store, Tx } from '../platform/store/store.ts';
import { testClock } from '../platform/store/test-clock.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { anyClaimed } from './store.ts';

const POLL_MS = 60_000;
/** How long to wait while work is being done, in ms. */
const BUSY_MS = 5;
/** The clock stops at most once in this time of its own, in ms: what becomes due in between is done together. */
const STEP_MS = 1000;

/**
 * Moves a test clock to its target, from one time at which work becomes due to the next: retries happen in their order and
 * at their times, as if the time had passed. A process that is killed leaves the rest to the next one. After each move it
 * wakes the workers of this process, which wait in the machine's time.
 */
export function startClockMover(platform: WorkerPlatform, workers: readonly Worker[]): Worker {
  const { store, clock } = platform;
  let seenMs: number | undefined;
  const idle = async () => {
    for (const worker of workers) if (!(await worker.idle())) return false;
    return true;
  };
  const work = async (stopping: AbortSignal) => {
    const found = await store.read((tx) => testClock.get(tx));
    if (!found) return false;
    if (seenMs !== found.offsetMs) for (const worker of workers) worker.wake();
    seenMs = found.offsetMs;
    if (found.target === null || !(await store.leads('test clock'))) return false;
    if (!(await idle()) || !(await store.write((tx) => step(store, tx))))
      await clock.sleep(BUSY_MS, stopping).catch(() => {});
    return true;
  };
  return worker(platform, { name: 'the test clock', topics: ['settings'], pause: POLL_MS, work });
}

/** Moves the clock to the next time at which work becomes due. Returns false while due work is left. */
async function step(store: Store, tx: Tx): Promise<boolean> {
  await tx.lock('test clock');
  const found = await testClock.get(tx);
  if (!found || found.target === null) return true;
  for (const lane of LANES) if (await due.any(tx, store.workers, lane)) return false;
  for (const { id } of await workspaces.list(tx)) if (await anyClaimed(tx, id)) return false;
  if (found.target <= tx.now) {
    await testClock.setTarget(tx, null);
    return true;
  }
  let next = found.target;
  // What is removed by age depends on the time alone: the clock does not stop for it on its way.
  for (const lane of LANES) if (lane !== 'clean') next = Math.min(next, (await due.next(tx, lane)) ?? next);
  await testClock.moveTo(tx, found, Math.min(found.target, Math.max(next, tx.now + STEP_MS)));
  return true;
}
