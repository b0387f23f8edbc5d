import type { Interceptor } from '../exchange.ts';

/** Gives each attempt `timeoutMs` for the whole answer, body included. Fails as TransportError `timeout`. */
export function deadline(timeoutMs: number): Interceptor {
  return (next) => (request) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    return next({
      ...request,
      signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
    });
  };
}
