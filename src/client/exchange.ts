import type { Group } from '../contract/limits.ts';

/** An outgoing HTTP request. */
export interface Outgoing {
  readonly method: string;
  /** Path and query, below the base URL. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** The rate-limit group; undefined for a path outside the endpoint table. */
  readonly group?: Group | undefined;
  /** True if it may be sent again after a response that may have been lost. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Aborts waiting (for the rate limit, before a retry) but no request in flight. Defaults to `signal`. */
  readonly waiting?: AbortSignal | undefined;
  /** Called for each attempt that may have been processed although it did not succeed. */
  readonly onLost?: (() => void) | undefined;
}

/** An HTTP response with its body. */
export interface Incoming {
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Sends a request and resolves with the response, whatever its status. Rejects with TransportError. */
export type Exchange = (request: Outgoing) => Promise<Incoming>;

/** Adds one concern to an exchange. */
export type Interceptor = (next: Exchange) => Exchange;

/** Wraps a transport in interceptors. The first one sees a request first and its response last. */
export function compose(transport: Exchange, interceptors: readonly Interceptor[]): Exchange {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), transport);
}
