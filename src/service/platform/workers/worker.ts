import type { Clock } from '../../../kit/clock.ts';
import type { Log } from '../log.ts';
import type { Store, Topic } from '../store/store.ts';

/** A background loop of the service. */
export interface Worker {
  /** Finishes the current round and ends the loop. */
  stop(): Promise<void>;
  /** Starts the next round without waiting. */
  wake(): void;
  /** True when no work is due. */
  idle(): Promise<boolean>;
}

/**
 * Runs `round` in a loop: immediately again while it returns true, otherwise after `pauseMs` or on `wake`. A round that
 * throws is logged and repeated after the pause. A round that takes long, or sleeps, ends soon after `stopping` fires.
 */
export function repeat(
  name: string,
  clock: Clock,
  log: Log,
  pauseMs: number,
  round: (stopping: AbortSignal) => Promise<boolean>,
): Worker {
  const stopping = new AbortController();
  let woken = new AbortController();
  let wakePending = false;
  let waiting = false;
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      wakePending = false;
      let busy = false;
      try {
        busy = await round(stopping.signal);
      } catch (error) {
        log('error', `${name} failed`, { reason: error instanceof Error ? error.message : String(error) });
      }
      if (busy || wakePending || stopping.signal.aborted) continue;
      // One controller per pause: a long-lived signal would retain memory for every pause (AbortSignal.any does).
      woken = new AbortController();
      waiting = true;
      await clock.sleep(pauseMs, woken.signal).catch(() => {});
      waiting = false;
    }
  })();
  return {
    wake() {
      // Aborting makes an error each time, and a busy service wakes its workers thousands of times a second.
      if (waiting && !wakePending) woken.abort();
      wakePending = true;
    },
    idle: async () => waiting && !wakePending,
    stop: () => {
      stopping.abort();
      woken.abort();
      return loop;
    },
  };
}

/** Wakes `worker` on every notification of `topic`, until it is stopped. */
export function wokenBy(store: Store, topic: Topic, worker: Worker): Worker {
  const unsubscribe = store.subscribe(topic, () => worker.wake());
  return {
    ...worker,
    stop: () => {
      unsubscribe();
      return worker.stop();
    },
  };
}
