import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { HonoRequest } from 'hono';
import type { EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { ServiceError } from '../../contract/errors.ts';
import type { ConcurrencyKey, Tx } from '../platform/store/store.ts';
import type { ClientSettings, Workspace } from '../platform/store/workspaces.ts';
import type { Worker } from '../platform/workers/worker.ts';

/** A validated request, passed to its handler inside a transaction. */
export interface Call<N extends EndpointName = EndpointName, Body = RequestOf<N>> {
  readonly tx: Tx;
  readonly workspace: Workspace;
  /** The only user for whom the request may act: that of its user token. Undefined for a server key. */
  readonly onlyUser: string | undefined;
  /** What the workspace says of apps, for a request with a publishable key; undefined for a server key. */
  readonly client: ClientSettings | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The run of an import that the request names (X-Service-Import-Run); undefined without one, and for other endpoints. */
  readonly run: string | undefined;
  /** Time of the transaction, Unix ms. */
  readonly now: number;
  readonly requestId: string;
  /** The traceparent that work caused by the request keeps; undefined without a trace. */
  readonly trace: string | undefined;
}

/** The result of a handler. The status defaults to the success status of the endpoint. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  /**
   * Answered instead of a body, where what the handler wrote is to be stored although the request is refused. As with an
   * error that is thrown, the idempotency key may be used again.
   */
  readonly error?: ServiceError;
  /**
   * Work of the same transaction that is done just before its commit, because it locks a row that other requests wait
   * for. The transaction is rolled back if it rejects.
   */
  readonly beforeCommit?: () => Promise<void>;
  /** Called once the transaction is stored. */
  readonly afterCommit?: () => void;
}

/**
 * Answers a call. Awaits only the store (see Store.write). A thrown ServiceError becomes the answer and rolls back what
 * the handler wrote.
 */
type Handler<N extends EndpointName, Body = RequestOf<N>> = (call: Call<N, Body>) => Promise<Reply>;

/** Answers a streaming endpoint, once the request is admitted. */
export type StreamHandler = (
  call: Omit<Call, 'tx' | 'body' | 'now'> & {
    lastEventId: string | undefined;
    /** Hash of the API key of the request; undefined for one from inside this process (AppParts.inside). */
    keyHash: string | undefined;
    /** The connection; undefined for a request from inside this process. */
    socket?: Socket | undefined;
  },
) => ReadableStream<Uint8Array>;

/** How the service serves an endpoint of the contract, where a handler alone does not say it. */
export interface Descriptor<N extends EndpointName = EndpointName, Body = RequestOf<N>> {
  /**
   * `interactive`: acts for one user, who waits, so that bulk work gives way to it (platform/precedence.ts). `page`: reads
   * a page of a list, a piece of bulk work. `bulk`: stores many records, and the writes of other requests pass it.
   */
  readonly priority?: 'interactive' | 'page' | 'bulk';
  /** Reads nothing before its first statements, not even the time, and changes by them only what may be repeated. */
  readonly pipelinedBegin?: boolean;
  /** The rows or locks that concurrent writes of the endpoint share, by name within the workspace. */
  readonly concurrencyKeys?: (request: Pick<Call<N, Body>, 'body' | 'params'>) => readonly ConcurrencyKey[];
  /**
   * Brings up to date what the call needs, before its transaction. It is asked before the request is admitted, with the
   * workspace that the request names, and, if it returns undefined then, again afterwards, with the body and the parameters
   * of its path.
   */
  readonly prepare?: (
    workspaceId: string,
    admittedBody: Body | undefined,
    admittedParams: Call['params'] | undefined,
  ) => Promise<unknown> | undefined;
  /** Parses and validates a body, by default as JSON of the contract's schema. Throws invalid_request. */
  readonly readBody?: (raw: Buffer) => Body;
  /** Is told of each body that is refused. */
  readonly refused?: (workspaceId: string) => void;
  /** The field of the body that is an array of records, which are validated in chunks. */
  readonly records?: string;
  /**
   * Answers a call of a GET that marks, if there is nothing to take note of; else undefined, and `handle` answers it. What it
   * needs of a transaction it asks `read` for, whose transactions read, which costs less.
   */
  readonly unmarked?: (
    request: Omit<Call<N, Body>, 'tx' | 'now'>,
    read: <T>(work: (call: Call<N, Body>) => Promise<T>) => Promise<T>,
  ) => Promise<Reply | undefined>;
  readonly handle: Handler<N, Body>;
}

/** How the service serves an endpoint that answers with a stream. */
export interface StreamDescriptor {
  readonly stream: StreamHandler;
}

/** The endpoints that a feature serves: a handler by name, or a descriptor where there is more to say. */
export type Endpoints = { readonly [N in EndpointName]?: Handler<N> | Descriptor<N> | StreamDescriptor };

/** Describes an endpoint whose body is read in a way of its own. */
export function withBody<N extends EndpointName, Body>(
  readBody: (raw: Buffer) => Body,
  descriptor: Omit<Descriptor<N, Body>, 'readBody'>,
): Descriptor<N> {
  return { readBody, ...descriptor } as unknown as Descriptor<N>;
}

/** Answers a request that has no API key. A thrown ServiceError becomes the answer. */
export type UnkeyedHandler = (request: HonoRequest, incoming: IncomingMessage) => Promise<Response>;

/**
 * An endpoint for others than clients, such as providers and mail programs: it has no API key and no group of limits, so
 * it checks a signature or a sealed token, and counts its requests itself.
 */
export interface UnkeyedRoute {
  /** Its name in the metrics. */
  readonly name: string;
  /** The template of its path, as the contract writes it. */
  readonly path: string;
  readonly methods: { readonly GET?: UnkeyedHandler; readonly POST?: UnkeyedHandler };
}

/** A feature of the service, as start.ts assembles it. */
export interface Feature {
  readonly endpoints?: Endpoints;
  readonly unkeyed?: readonly UnkeyedRoute[];
  readonly workers?: readonly Worker[];
}
