import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../log.ts';

/** A loop of the service that runs until stopped. */
export interface Worker {
  /** Finishes the round under way. */
  stop(): Promise<void>;
  /** Starts the next round now. */
  wake(): void;
  /** True when nothing is due. */
  idle(): Promise<boolean>;
}

/**
 * Runs `round` again and again: at once while it reports that it did something, otherwise after `pauseMs` or at a
 * wake. A round that throws is logged and tried again after the pause.
 */
export function repeat(
  name: string,
  clock: Clock,
  log: Log,
  pauseMs: number,
  round: () => Promise<boolean>,
): Worker {
  let stopped = false;
  let woken = new AbortController();
  let wakePending = false;
  let resting = false;
  const loop = (async () => {
    while (!stopped) {
      wakePending = false;
      let busy = false;
      try {
        busy = await round();
      } catch (error) {
        log('error', `${name} failed`, { reason: error instanceof Error ? error.message : String(error) });
      }
      if (busy || wakePending || stopped) continue;
      resting = true;
      // A controller a rest: a signal that lives on would keep something of every rest (AbortSignal.any does).
      woken = new AbortController();
      await clock.sleep(pauseMs, woken.signal).catch(() => {});
      resting = false;
    }
  })();
  return {
    wake() {
      wakePending = true;
      woken.abort();
    },
    idle: async () => resting && !wakePending,
    stop: () => {
      stopped = true;
      woken.abort();
      return loop;
    },
  };
}
