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

/** The longest delay that a provider can request with Retry-After, and how long a throttled notification is retried. */
export const LONGEST_THROTTLE_MS = 24 * 60 * MINUTE;

/**
 * The time of the next retry, unix ms, or null after the last. `tries` counts attempts made; `random` is in [0, 1).
 * Never before `retryAfterMs`, which the provider asked for.
 */
export function nextRetry(tries: number, now: number, random: number, retryAfterMs = 0): number | null {
  const gap = DISPATCH_GAPS_MS[tries - 1];
  return gap === undefined ? null : Math.ceil(now + Math.max(gap, retryAfterMs) + gap * 0.2 * random);
}

/**
 * The time of the next attempt after too many requests, unix ms, or null if it was to be sent a day ago. Such an attempt
 * does not count: the provider took no note of the message.
 */
export function nextAfterThrottle(
  sendFrom: number,
  now: number,
  random: number,
  retryAfterMs = 0,
): number | null {
  const at = Math.ceil(now + Math.max(SECOND, retryAfterMs) + SECOND * random);
  return at > sendFrom + LONGEST_THROTTLE_MS ? null : at;
}

/** How the failure of a notification begins that may have reached the user. */
export const UNCERTAIN = 'uncertain: ';
/** The reason of `held` of a notification that its request sends later. */
export const SEND_AT = 'send_at';
/** The failure of a notification for a user whom the channel cannot reach. */
export const NO_ADDRESS = 'no_address';
/** The reason of `delivered` where no receipt will ever come. */
export const ACCEPTED = 'accepted by the provider';
/** The reasons of `delivered` where the outbox took it, and no provider was called. */
export const OUTBOX_TEST = 'written to the outbox: test workspace';
export const OUTBOX_NO_PROVIDER = 'written to the outbox: no provider';
/** The reason of `delivered` by a receipt. */
export const CONFIRMED = 'confirmed by the provider';

/**
 * Decides whether to send a notification again after its worker crashed. It is repeated only if the channel drops
 * repeats. Otherwise the user could receive it twice, so it fails with an ambiguous outcome.
 */
export function afterLostWorker(channelDeduplicates: boolean): 'repeat' | 'give-up' {
  return channelDeduplicates ? 'repeat' : 'give-up';
}
