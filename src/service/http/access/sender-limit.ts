import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../contract/errors.ts';
import { HEADERS } from '../../../contract/headers.ts';
import { WINDOW_MS } from '../../../contract/limits.ts';
import type { Clock } from '../../../kit/clock.ts';
import { Lru } from '../../../kit/lru.ts';
import { countRequest, uncountRequest, type WindowCount } from '../../platform/limits/window-counter.ts';
import { addressOf, type IsProxy } from './client-address.ts';

/** Requests of one address per window, in this process. Those that prove genuine do not count. */
export const SENDER_LIMIT = 600;
/** Addresses that are counted at a time; the one that asked least recently is forgotten first. */
const MAX_SENDERS = 100_000;

/**
 * Counts a request without a key by the address it comes from, before anything of it is read or looked up. Returns what
 * takes the count back once the request has proved genuine: providers send for many workspaces from few addresses.
 * Throws rate_limited.
 */
export type CountSender = (incoming: IncomingMessage) => () => void;

/** `isProxy` tells the addresses whose X-Forwarded-For is believed. */
export function senderLimit(clock: Pick<Clock, 'now'>, isProxy: IsProxy): CountSender {
  const counts = new Lru<string, WindowCount>(MAX_SENDERS);
  return (incoming) => {
    const sender = addressOf(incoming, isProxy);
    const { count, admitted, retryAfter } = countRequest(
      counts.get(sender),
      clock.now(),
      WINDOW_MS,
      SENDER_LIMIT,
    );
    counts.set(sender, count);
    if (!admitted) throw rateLimited(retryAfter, 'The address is over the limit of requests without a key.');
    return () => {
      const counted = counts.get(sender);
      if (counted) counts.set(sender, uncountRequest(counted));
    };
  };
}

/** The error of a request over a limit; without a `message`, that of the workspace. `retryAfter` is in seconds. */
export function rateLimited(retryAfter = 1, message?: string): ServiceError {
  return new ServiceError('rate_limited', message, undefined, { [HEADERS.retryAfter]: String(retryAfter) });
}
