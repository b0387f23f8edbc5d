import type { Group } from '../contract/limits.ts';

/** One HTTP request on its way out. */
export interface Outgoing {
  readonly method: string;
  /** Path and query, below the base URL. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** What the rate limit counts it under; undefined for an address outside the endpoint table. */
  readonly group?: Group | undefined;
  /** May it be sent again after an answer that may have been lost? */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Ends waits (for leave to send, before a repeat), but nothing that is on its way; `signal` does so unless given. */
  readonly waiting?: AbortSignal | undefined;
  /** Told of each try that may have been carried out although no success was answered. */
  readonly onLost?: (() => void) | undefined;
}

/** One HTTP answer, body included. */
export interface Incoming {
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends a request and resolves with the answer, whatever its status. Rejects with TransportError. */
export type Exchange = (request: Outgoing) => Promise<Incoming>;

/** Adds one concern to an exchange. */
export type Interceptor = (next: Exchange) => Exchange;

/** The first interceptor sees a request first and its answer last. */
export function compose(transport: Exchange, interceptors: readonly Interceptor[]): Exchange {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), transport);
}
