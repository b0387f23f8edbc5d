import { setTimeout as delay } from 'node:timers/promises';

/** The time as an argument, so that tests can hold it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Waits `ms` milliseconds. Rejects with an AbortError when `signal` fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// A timer longer than this overflows to 1 ms in Node.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
      await delay(Math.min(left, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
    }
  },
};
