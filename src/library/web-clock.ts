import type { Clock } from '../kit/clock.ts';

/** A longer timer overflows. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', end);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The clock of every runtime. */
export const clock: Clock = { now: Date.now, sleep };

/** A clock that setting the time does not change. */
export const steadyClock: Clock = { now: () => performance.now(), sleep };
