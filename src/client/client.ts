import { randomUUID } from 'node:crypto';
import type { AnswerOf, EndpointName, RequestOf } from '../contract/endpoints.ts';
import { HEADERS } from '../contract/headers.ts';
import type { Group } from '../contract/limits.ts';
import { OPERATIONS } from '../contract/operations.gen.ts';
import { pathOf } from '../contract/path-of.ts';
import type { Clock } from '../kit/clock.ts';
import type { Random } from '../kit/random.ts';
import { type Answer, checked } from './answers.ts';
import { compose, type Incoming, type Interceptor } from './exchange.ts';
import { auth } from './interceptors/auth.ts';
import { deadline } from './interceptors/deadline.ts';
import { debug } from './interceptors/debug.ts';
import { type OnLimit, observe } from './interceptors/observe.ts';
import { pace } from './interceptors/pace.ts';
import { type RetryOptions, retry } from './interceptors/retry.ts';
import { streamOpener } from './open-stream.ts';
import type { PacerClock } from './pacer/pacer.ts';
import type { Pacers } from './pacers.ts';
import { queryString } from './query-string.ts';
import { httpTransport } from './transport.ts';

export type { Answer } from './answers.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly apiKey: string;
  /** True if the service is known to support Idempotency-Key, so that any request may be retried under one key. */
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  readonly onLimit?: OnLimit | undefined;
  readonly onRetry?: RetryOptions['onRetry'];
  /** Called with every response (region, limits). */
  readonly onAnswer?: ((answer: Incoming) => void) | undefined;
  readonly debug?: ((line: string) => void) | undefined;
  /** Delay requests until their rate-limit group has room; without them no request is delayed. */
  readonly pacers?: Pacers | undefined;
  /** A monotonic clock for the pacers. */
  readonly steadyClock?: Pick<PacerClock, 'now'> | undefined;
}

export interface CallOptions<N extends EndpointName = EndpointName> {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string | undefined>;
  readonly body?: RequestOf<N>;
  /** The serialized body, in place of `body`. */
  readonly raw?: string | Uint8Array;
  /** More headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Generated for every request that is not a GET, unless given. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
  /** See Outgoing. */
  readonly waiting?: AbortSignal | undefined;
  readonly onLost?: (() => void) | undefined;
}

interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | undefined;
  readonly group?: Group | undefined;
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Client {
  /** Calls an endpoint of the table. Rejects with ApiError (a status other than 2xx) or TransportError (no response). */
  call<N extends EndpointName>(name: N, options?: CallOptions<N>): Promise<Answer<AnswerOf<N>>>;
  /** Sends any request with the authentication headers. Resolves with any status; rejects with TransportError. */
  send(request: RawRequest): Promise<Incoming>;
  /** Opens a streaming endpoint, without retries. The timeout ends with the response headers. Rejects like `call`. */
  stream(
    name: EndpointName,
    options?: Pick<CallOptions, 'params' | 'query' | 'signal'> & { headers?: Record<string, string> },
  ): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

/** Creates the typed client of the service from the endpoint table. */
export function createClient(options: ClientOptions): Client {
  const transport = httpTransport(options.baseUrl);
  const exchange = compose(transport.exchange, [
    ...concerns(options),
    deadline(options.timeoutMs),
    ...innermost(options),
  ]);
  const open = streamOpener(transport.open, [...paced(options), ...innermost(options)], options.timeoutMs);
  const common = { 'user-agent': options.userAgent, accept: 'application/json' };

  return {
    async call(name, call = {}) {
      const endpoint = OPERATIONS[name];
      const writes = endpoint.method !== 'GET';
      const answer = await exchange({
        method: endpoint.method,
        path: pathOf(name, call.params) + queryString(call.query),
        headers: {
          ...common,
          ...(writes ? { [HEADERS.idempotencyKey]: call.idempotencyKey ?? randomUUID() } : {}),
          ...call.headers,
        },
        body: call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body)),
        group: endpoint.group,
        repeatable: endpoint.repeat === 'always' || options.idempotent,
        signal: call.signal,
        waiting: call.waiting,
        onLost: call.onLost,
      });
      return checked(answer) as Answer<AnswerOf<typeof name>>;
    },
    send: ({ headers, ...request }) => exchange({ ...request, headers: { ...common, ...headers } }),
    async stream(name, call = {}) {
      const endpoint = OPERATIONS[name];
      return open({
        method: endpoint.method,
        path: pathOf(name, call.params) + queryString(call.query),
        headers: { ...common, accept: 'text/event-stream', ...call.headers },
        group: endpoint.group,
        repeatable: false,
        signal: call.signal,
      });
    },
    close: () => transport.close(),
  };
}

function concerns({ maxRetries, clock, random, onRetry, ...options }: ClientOptions): Interceptor[] {
  return [retry({ maxRetries, clock, random, onRetry }), ...paced({ clock, ...options })];
}

function paced({ pacers, steadyClock, clock }: Pick<ClientOptions, 'pacers' | 'steadyClock' | 'clock'>) {
  return pacers ? [pace((group) => pacers.of(group), steadyClock ?? clock)] : [];
}

function innermost(options: ClientOptions): Interceptor[] {
  const { clock, onLimit, onAnswer, apiKey, workspace, debug: write } = options;
  return [
    ...(onLimit ? [observe(onLimit, clock)] : []),
    ...(onAnswer ? [tap(onAnswer)] : []),
    auth(apiKey, workspace),
    ...(write ? [debug(write)] : []),
  ];
}

function tap(listener: (answer: Incoming) => void): Interceptor {
  return (next) => async (request) => {
    const answer = await next(request);
    listener(answer);
    return answer;
  };
}
