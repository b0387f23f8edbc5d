/** The typed client of the service: `svc-cli/client` (docs/library.md). */
import type { ErrorDetail, Operations } from './operations.mjs';

export type * from './operations.mjs';

/** A client of one workspace of a service. */
export interface ClientOptions {
  /** Regional base address of the service. Plain http is accepted for loopback addresses only. */
  readonly baseUrl: string;
  /** Identifier of the workspace. */
  readonly workspace: string;
  /** A key of the workspace. */
  readonly apiKey: string;
  /** In an app, beside a publishable key: the token of the user for whom it acts. */
  readonly userToken?: string | undefined;
  /** True if the service is known to honour idempotency keys: then every request is retried after a lost answer. */
  readonly idempotent?: boolean | undefined;
  /** Time limit of an attempt, in ms. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a request. Default: 5. */
  readonly maxRetries?: number | undefined;
  /** The part of each rate limit that this client may use, above 0 and at most 1. Default: 1. `false` paces nothing. */
  readonly share?: number | false | undefined;
  /** Called before each retry. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
  /** Sends the requests. Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A retry that is about to be waited for. */
export interface RetryNotice {
  /** Attempts made so far. */
  readonly attempt: number;
  readonly waitMs: number;
  /** Status of the answer; undefined if there was none. */
  readonly status: number | undefined;
}

export interface CallOptions {
  /** Identifies the request to the service. Default: a random one, the same for every retry. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** The `id` of the last event that was handled; the stream resumes after it. */
  readonly lastEventId?: string | undefined;
  /**
   * Called when events since `lastEventId` were removed by age: those from before this time, ISO 8601. Without it, the
   * iteration throws a RangeError.
   */
  readonly onRemoved?: ((before: string) => void) | undefined;
}

/** A method for each operation of the service. */
export interface Client extends Operations {
  /** Sends a request that fits none of the methods, with the same retries and pacing. The body is sent as JSON. */
  request(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown>;
}

/** Creates a client. Throws TypeError if an option is missing or the key would travel unencrypted. */
export declare function createClient(options: ClientOptions): Client;

/** The service responded with a status other than 2xx. The texts are untrusted. */
export declare class ApiError extends Error {
  private constructor();
  readonly status: number;
  /** Such as `RATE_LIMITED`. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** The problems of a request that is not valid. */
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * No response arrived. `sent` is false if nothing of the request was written, so that it had no effect, and true if it
 * may have been processed.
 */
export declare class TransportError extends Error {
  private constructor();
  readonly sent: boolean;
  readonly reason: 'unreachable' | 'lost' | 'timeout' | 'answer' | 'aborted';
}
