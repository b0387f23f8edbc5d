import type { EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import type { EventBatch } from '../store/repositories/ingest/append.ts';
import type { Workspace } from '../store/repositories/workspaces.ts';
import type { Tx } from '../store/store.ts';

/** A validated body as handlers get it. */
type BodyOf<N extends EndpointName> = N extends 'ingestEvents' ? EventBatch : RequestOf<N>;

/** A validated request, passed to its handler inside a transaction. */
export interface Call<N extends EndpointName = EndpointName> {
  readonly tx: Tx;
  readonly workspace: Workspace;
  /** The only user for whom the request may act: that of its user token. Undefined for a server key. */
  readonly onlyUser: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: BodyOf<N>;
  /** Time of the transaction, Unix ms. */
  readonly now: number;
  readonly requestId: string;
  /** The traceparent that work caused by the request keeps; undefined without a trace. */
  readonly trace: string | undefined;
  readonly deps: ServiceDeps;
}

/** The result of a handler. The status defaults to the success status of the endpoint. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  /**
   * Work of the same transaction that is done just before its commit, because it locks a row that other requests wait
   * for. The transaction is rolled back if it rejects.
   */
  readonly last?: () => Promise<void>;
}

/**
 * Answers a call. Awaits only the store (see Store.write). A thrown ServiceError becomes the answer and rolls back what
 * the handler wrote.
 */
export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Reply>;
export type Handlers = { [N in EndpointName]?: Handler<N> };

/** Answers a streaming endpoint, once the request is admitted. */
export type StreamHandler = (
  call: Omit<Call, 'tx' | 'body' | 'now'> & {
    lastEventId: string | undefined;
    /** Hash of the API key of the request; undefined for one from inside this process (AppParts.inside). */
    keyHash: string | undefined;
  },
) => ReadableStream<Uint8Array>;
