import { setTimeout as delay } from 'node:timers/promises';

/** A source of time that tests can replace. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Waits `ms` milliseconds. Rejects with an AbortError if `signal` fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// A longer timer of Node.js overflows to 1 ms.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
      await delay(Math.min(left, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
    }
  },
};
