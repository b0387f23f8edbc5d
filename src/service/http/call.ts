import type { EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import type { Workspace } from '../store/repositories/workspaces.ts';
import type { Tx } from '../store/store.ts';

/** A validated request, passed to its handler inside a transaction. */
export interface Call<N extends EndpointName = EndpointName> {
  readonly tx: Tx;
  readonly workspace: Workspace;
  /** The only user for whom the request may act: that of its user token. Undefined for a server key. */
  readonly onlyUser: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: RequestOf<N>;
  /** The JSON text of the body as it was sent; empty if there was none. */
  readonly text: string;
  /** Time of the transaction, Unix ms. */
  readonly now: number;
  readonly requestId: string;
  readonly deps: ServiceDeps;
}

/** The result of a handler. The status defaults to the success status of the endpoint. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
}

/**
 * Answers a call. Awaits only the store (see Store.write). A thrown ServiceError becomes the answer and rolls back what
 * the handler wrote.
 */
export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Reply>;
export type Handlers = { [N in EndpointName]?: Handler<N> };

/** Answers a streaming endpoint, once the request is admitted. */
export type StreamHandler = (
  call: Omit<Call, 'tx' | 'body' | 'text' | 'now'> & {
    lastEventId: string | undefined;
    /** Hash of the API key of the request. */
    keyHash: string;
  },
) => ReadableStream<Uint8Array>;
