import { randomUUID } from 'node:crypto';
import type { AnswerOf, EndpointName, RequestOf } from '../contract/endpoints.ts';
import { HEADERS } from '../contract/headers.ts';
import type { Group } from '../contract/limits.ts';
import { OPERATIONS } from '../contract/operations.gen.ts';
import { pathOf } from '../contract/path-of.ts';
import type { Clock } from '../kit/clock.ts';
import type { Random } from '../kit/random.ts';
import { ApiError, TransportError } from './errors.ts';
import { compose, type Exchange, type Incoming, type Interceptor, type Outgoing } from './exchange.ts';
import { auth } from './interceptors/auth.ts';
import { deadline } from './interceptors/deadline.ts';
import { debug } from './interceptors/debug.ts';
import { type OnLimit, observe } from './interceptors/observe.ts';
import { pace } from './interceptors/pace.ts';
import { type RetryOptions, retry } from './interceptors/retry.ts';
import type { PacerClock } from './pacer/pacer.ts';
import type { Pacers } from './pacers.ts';
import { httpTransport, type Transport } from './transport.ts';
import { webPage } from './web-page.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly apiKey: string;
  /** True if the service is known to support Idempotency-Key, so that any request may be retried under one key. */
  readonly keysHonoured: boolean;
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
  /** Generated for every request that is not a GET, unless given. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
  /** See Outgoing. */
  readonly waiting?: AbortSignal | undefined;
  readonly onLost?: (() => void) | undefined;
}

/** A response with a 2xx status. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body, unknown fields included; undefined if it is empty or not JSON. */
  readonly body: T;
  readonly text: string;
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
  ): Promise<AsyncIterable<Buffer>>;
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
  const open = openWith(transport, options);
  const common = { 'user-agent': options.userAgent, accept: 'application/json' };

  return {
    async call(name, call = {}) {
      const endpoint = OPERATIONS[name];
      const writes = endpoint.method !== 'GET';
      const answer = await exchange({
        method: endpoint.method,
        path: pathOf(name, call.params) + queryString(call.query),
        headers: writes
          ? { ...common, [HEADERS.idempotencyKey]: call.idempotencyKey ?? randomUUID() }
          : common,
        body: call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body)),
        group: endpoint.group,
        repeatable: endpoint.repeat === 'always' || options.keysHonoured,
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

/** Upper bound on the bytes read of an error body when a stream was requested. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Opens streams: the response headers pass the inner interceptors within the timeout; the body bypasses both. */
function openWith(transport: Transport, options: ClientOptions) {
  return async (request: Outgoing): Promise<AsyncIterable<Buffer>> => {
    let body: AsyncIterable<Buffer> | undefined;
    const head: Exchange = async (outgoing) => {
      const opened = await openInTime(transport, outgoing, options.timeoutMs);
      if (Buffer.isBuffer(opened.body)) return { ...opened, body: opened.body };
      if (!/^text\/event-stream\b/i.test(opened.headers['content-type'] ?? ''))
        throw new TransportError('answer', true, 'the response is not an event stream');
      body = opened.body;
      return { ...opened, body: Buffer.alloc(0) };
    };
    checked(await compose(head, [...paced(options), ...innermost(options)])(request));
    return body!;
  };
}

/** Resolves within the timeout with a stream, or with the beginning of the body of an error response. */
async function openInTime(transport: Transport, request: Outgoing, timeoutMs: number) {
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new DOMException('no response in time', 'TimeoutError')),
    timeoutMs,
  );
  const signals = [timeout.signal, ...(request.signal ? [request.signal] : [])];
  try {
    const opened = await transport.open({ ...request, signal: AbortSignal.any(signals) });
    if (opened.status >= 200 && opened.status < 300) return opened;
    return { ...opened, body: await readStart(opened.body, MAX_ERROR_BYTES) };
  } finally {
    clearTimeout(timer);
  }
}

async function readStart(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

function checked(answer: Incoming): Answer {
  if (answer.status < 200 || answer.status >= 300) throw errorOf(answer);
  // Any 2xx is a success, whatever its body (docs/decisions.md, "The client is liberal").
  const { status, headers } = answer;
  return { status, headers, ...read(answer) };
}

/** Converts a response with a status other than 2xx to an ApiError. */
export function errorOf(answer: Incoming): ApiError {
  const { text, body } = read(answer);
  return new ApiError(answer.status, answer.headers, body, answer.headers[HEADERS.requestId], webPage(text));
}

function read(answer: Incoming): { text: string; body: unknown } {
  const text = answer.body.toString('utf8');
  try {
    return { text, body: text === '' ? undefined : JSON.parse(text) };
  } catch {
    return { text, body: undefined };
  }
}

function queryString(query: Record<string, string | undefined> = {}): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
