import type { EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import type { Workspace } from '../store/repositories/workspaces.ts';
import type { Tx } from '../store/store.ts';

/** One checked request, handed to its handler inside a transaction. */
export interface Call<N extends EndpointName = EndpointName> {
  readonly tx: Tx;
  readonly workspace: Workspace;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: RequestOf<N>;
  /** The body's JSON text as it was sent; empty where there was none. */
  readonly text: string;
  /** Unix milliseconds, the transaction's. */
  readonly now: number;
  readonly requestId: string;
  readonly deps: ServiceDeps;
}

/** The answer of a handler; the status is the endpoint's unless given. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
}

/**
 * Answers a call. Awaits nothing but the store (see Store.write). A thrown ServiceError becomes the answer and undoes
 * what the handler wrote.
 */
export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Reply>;
export type Handlers = { [N in EndpointName]?: Handler<N> };

/** A streaming endpoint: takes over the response after the request was admitted. */
export type StreamHandler = (
  call: Omit<Call, 'tx' | 'body' | 'text' | 'now'> & {
    lastEventId: string | undefined;
    /** Of the key that the request showed. */
    keyHash: string;
  },
) => ReadableStream<Uint8Array>;
