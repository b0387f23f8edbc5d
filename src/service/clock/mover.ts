import { due, LANES } from '../platform/store/due.ts';
import type { Store, Tx } from '../platform/store/store.ts';
import { testClock } from '../platform/store/test-clock.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { anyClaimed } from '../platform/workers/any-claimed.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';

const POLL_MS = 60_000;
/** How long to wait while work is being done, in ms. */
const BUSY_MS = 5;
/** The clock stops at most once in this time of its own, in ms: what becomes due in between is done together. */
const STEP_MS = 1000;

/** How long a move waits for work, in ms of the machine, so that it ends also if more comes in all the time. */
interface Patience {
  /** At a stop: what comes in after that is held back until the next one. */
  readonly stop: number;
  /** At the target. */
  readonly target: number;
  /** At all stops together, beyond their patience: after that the clock goes the rest of the way at once. */
  readonly move: number;
}
const PATIENCE: Patience = { stop: 5000, target: 30_000, move: 300_000 };

/**
 * Moves a test clock to its target, from one time at which work becomes due to the next: retries happen in their order and
 * at their times, as if the time had passed. A process that is killed leaves the rest to the next one. Before and after each
 * move it wakes the workers of this process, which wait in the machine's time.
 */
export function startClockMover(
  platform: WorkerPlatform,
  workers: readonly Worker[],
  patience = PATIENCE,
): Worker {
  const { store, clock } = platform;
  let seen: readonly [offsetMs: number, target: number | null] | undefined;
  /** When the clock stopped, by the steady clock of the machine, and how long it waited at stops in vain. */
  let stoppedAt = 0;
  let impatientMs = 0;
  const idle = async () => {
    for (const worker of workers) if (!(await worker.idle())) return false;
    return true;
  };
  const work = async (stopping: AbortSignal) => {
    const found = await store.read(async (tx) => ({ ...(await testClock.get(tx)), now: tx.now }));
    if (found.offsetMs === undefined) return false;
    const { offsetMs, target = null } = found;
    if (seen?.[0] !== offsetMs || seen[1] !== target) {
      for (const worker of workers) worker.wake();
      stoppedAt = performance.now();
    }
    seen = [offsetMs, target];
    if (target === null || !(await store.leads('test clock'))) {
      stoppedAt = performance.now();
      impatientMs = 0;
      return false;
    }
    const waited = performance.now() - stoppedAt;
    const isImpatient = waited > (target <= found.now ? patience.target : patience.stop);
    const moved =
      (isImpatient || (await idle())) &&
      (await store.write((tx) => step(store, tx, { isImpatient, leap: impatientMs > patience.move })));
    if (moved && isImpatient) impatientMs += waited;
    if (!moved) await clock.sleep(BUSY_MS, stopping).catch(() => {});
    return true;
  };
  return worker(platform, { name: 'the test clock', topics: ['settings'], pause: POLL_MS, work });
}

/**
 * Moves the clock to the next time at which work becomes due. Returns false while due work is left; if it is impatient, work
 * that became due before this stop. The clock never moves while something is being sent: it would be sent again.
 */
async function step(
  store: Store,
  tx: Tx,
  { isImpatient, leap }: { isImpatient: boolean; leap: boolean },
): Promise<boolean> {
  await tx.lock('test clock');
  const found = await testClock.get(tx);
  if (!found || found.target === null) return true;
  if (isImpatient && found.hold === null) {
    await testClock.hold(tx, tx.now);
    return false;
  }
  for (const lane of LANES) if (await due.any(tx, store.workers, lane)) return false;
  for (const { id } of await workspaces.list(tx)) if (await anyClaimed(tx, id)) return false;
  if (found.target <= tx.now) {
    await testClock.setTarget(tx, null);
    return true;
  }
  let next = found.target;
  // What is removed by age depends on the time alone: the clock does not stop for it on its way.
  if (!leap)
    for (const lane of LANES) if (lane !== 'clean') next = Math.min(next, (await due.next(tx, lane)) ?? next);
  await testClock.moveTo(tx, found, Math.min(found.target, Math.max(next, tx.now + STEP_MS)));
  return true;
}
