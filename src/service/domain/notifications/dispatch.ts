const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Delays before retries of an unreachable channel. After the last one the notification fails. */
export const DISPATCH_GAPS_MS: readonly number[] = [
  1 * SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
];

/** The time of the next retry, unix ms, or null after the last. `tries` counts attempts made; `random` is in [0, 1). */
export function nextRetry(tries: number, now: number, random: number): number | null {
  const gap = DISPATCH_GAPS_MS[tries - 1];
  return gap === undefined ? null : Math.ceil(now + gap * (1 + 0.2 * random));
}

/**
 * Decides whether to send a notification again after its worker crashed. It is repeated only if the channel drops
 * repeats. Otherwise the user could receive it twice, so it fails with an unknown outcome.
 */
export function afterLostWorker(channelDropsRepeats: boolean): 'repeat' | 'give-up' {
  return channelDropsRepeats ? 'repeat' : 'give-up';
}
