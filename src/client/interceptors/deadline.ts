import { within } from '../../kit/time/within.ts';
import type { Interceptor } from '../exchange.ts';

/** Limits each attempt, response body included, to `timeoutMs`. Fails with TransportError `timeout`. */
export function deadline(timeoutMs: number): Interceptor {
  return (next) => (request) => within(timeoutMs, request.signal, (signal) => next({ ...request, signal }));
}
