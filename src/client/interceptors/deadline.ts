import type { Interceptor } from '../exchange.ts';

/** Limits each attempt, response body included, to `timeoutMs`. Fails with TransportError `timeout`. */
export function deadline(timeoutMs: number): Interceptor {
  return (next) => (request) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    return next({
      ...request,
      signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
    });
  };
}
