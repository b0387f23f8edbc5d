const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Waits before a channel that was out of reach is tried again; after the last the notification fails. */
export const DISPATCH_GAPS_MS: readonly number[] = [
  1 * SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
];

/** When to try a channel again, unix ms, or null after the last try. `tries` counts those made; `random` in [0, 1). */
export function nextRetry(tries: number, now: number, random: number): number | null {
  const gap = DISPATCH_GAPS_MS[tries - 1];
  return gap === undefined ? null : Math.ceil(now + gap * (1 + 0.2 * random));
}

/**
 * May a notification be handed over again when the worker that had it vanished? Only where the channel drops
 * repeats itself; otherwise the user could be messaged twice, so it ends failed, its end unknown.
 */
export function afterLostWorker(channelDropsRepeats: boolean): 'repeat' | 'give-up' {
  return channelDropsRepeats ? 'repeat' : 'give-up';
}
