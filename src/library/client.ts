/**
 * The typed client of the service: `svc-cli/client`. Uses only what Node.js, Deno, Bun and browsers have in common.
 */
import type * as declared from '../../types/client.d.mts';
import type { CallOptions, Client, StreamOptions } from '../../types/client.d.mts';
import { checked } from '../client/answers.ts';
import { traitsOf } from '../client/endpoint-of.ts';
import { ApiError, TransportError } from '../client/errors.ts';
import { compose, type Outgoing } from '../client/exchange.ts';
import { fetchTransport } from '../client/fetch-transport.ts';
import { follow } from '../client/follow.ts';
import { auth } from '../client/interceptors/auth.ts';
import { deadline } from '../client/interceptors/deadline.ts';
import { pace } from '../client/interceptors/pace.ts';
import { retry } from '../client/interceptors/retry.ts';
import { streamOpener } from '../client/open-stream.ts';
import { Pacers } from '../client/pacers.ts';
import { queryString } from '../client/query-string.ts';
import { ENDPOINTS, type Endpoint, type EndpointName, paramsOf } from '../contract/endpoints.ts';
import { HEADERS } from '../contract/headers.ts';
import { pathOf } from '../contract/path-of.ts';
import { clock, steadyClock } from './web-clock.ts';

export { ApiError, TransportError };

type Input = Readonly<Record<string, unknown>>;

/** Creates a client. Throws TypeError if an option is missing or the key would travel unencrypted. */
export const createClient: typeof declared.createClient = (options) => {
  const { baseUrl, workspace, apiKey, idempotent = false, timeoutMs = 30_000, maxRetries = 5 } = options;
  const { userToken, share = 1, onRetry } = options;
  for (const [name, value] of Object.entries({ baseUrl, workspace, apiKey }))
    if (typeof value !== 'string' || value === '') throw new TypeError(`createClient needs ${name}`);
  checkBaseUrl(baseUrl);
  const transport = fetchTransport(baseUrl, options.fetch ?? globalThis.fetch);
  const { random } = Math;
  const pacers = share === false ? undefined : new Pacers({ clock: steadyClock, random, share });
  const paced = pacers ? [pace((group) => pacers.of(group), steadyClock)] : [];
  const common = { accept: 'application/json' };
  const exchange = compose(transport.exchange, [
    retry({ maxRetries, clock, random, onRetry }),
    ...paced,
    deadline(timeoutMs),
    auth(apiKey, workspace, userToken),
  ]);
  const open = streamOpener(transport.open, [...paced, auth(apiKey, workspace, userToken)], timeoutMs);

  const send = async (
    request: Pick<Outgoing, 'method' | 'path' | 'body' | 'group' | 'repeatable'>,
    more: CallOptions,
  ) => {
    const writes = request.method !== 'GET';
    const key: Record<string, string> = writes
      ? { [HEADERS.idempotencyKey]: more.idempotencyKey ?? crypto.randomUUID() }
      : {};
    const answer = await exchange({ ...request, headers: { ...common, ...key }, signal: more.signal });
    return checked(answer).body;
  };

  const call = async (name: EndpointName, input: Input = {}, more: CallOptions = {}) => {
    const endpoint: Endpoint = ENDPOINTS[name];
    const { path, rest } = filled(endpoint, name, input);
    const { method, group } = endpoint;
    const body = endpoint.request ? JSON.stringify(rest) : undefined;
    const query = endpoint.request ? '' : queryString(rest as Record<string, string | undefined>);
    const repeatable = endpoint.repeat === 'always' || idempotent;
    return send({ method, path: path + query, body, group, repeatable }, more);
  };

  const stream = async function* (
    operation: EndpointName,
    input: Input = {},
    { signal, lastEventId, onRemoved }: StreamOptions = {},
  ) {
    const messages = follow({
      client: {
        stream: (name, { headers, query, signal: until } = {}) => {
          const { method, path, group } = ENDPOINTS[name];
          const accept = { accept: 'text/event-stream', ...headers };
          const target = path + queryString(query);
          return open({ method, path: target, headers: accept, group, repeatable: false, signal: until });
        },
      },
      operation,
      query: input as Record<string, string | undefined>,
      clock,
      random,
      maxRetries,
      signal: signal ?? new AbortController().signal,
      lastEventId,
      onState: () => {},
    });
    for await (const { id, event, data } of messages) {
      // Of what came together, too, nothing is left after the signal.
      if (signal?.aborted) return;
      const value = JSON.parse(data!) as unknown;
      if (operation !== 'streamEvents' || event !== 'gap') yield { id, event: value };
      else {
        const before = String((value as { removedBefore?: unknown } | null)?.removedBefore);
        if (!onRemoved) throw new RangeError(`events from before ${before} were removed by the service`);
        onRemoved(before);
      }
    }
  };

  const methods = Object.entries<Endpoint>(ENDPOINTS).map(([name, endpoint]) => [
    name,
    endpoint.stream
      ? (input?: Input, more?: StreamOptions) => stream(name as EndpointName, input, more)
      : (input?: Input, more?: CallOptions) => call(name as EndpointName, input, more),
  ]);
  const request: Client['request'] = (method, path, body, more = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return send({ method, path, body: text, ...traitsOf(method, path, idempotent) }, more);
  };
  return { ...Object.fromEntries(methods), request } as Client;
};

/** Splits the input of a method into its path and the rest: its query or its body. Throws TypeError. */
function filled(endpoint: Endpoint, name: EndpointName, input: Input): { path: string; rest: Input } {
  const rest = { ...input };
  const params: Record<string, string> = {};
  for (const param of paramsOf(endpoint.path)) {
    const value = rest[param];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs ${param}`);
    params[param] = value;
    delete rest[param];
  }
  return { path: pathOf(name, params), rest };
}

/** The key is for encrypted connections, and for this machine. Throws TypeError. */
function checkBaseUrl(text: string): void {
  if (!URL.canParse(text)) throw new TypeError(`${JSON.stringify(text)} is not a URL`);
  const { protocol, hostname } = new URL(text);
  const loopback = /^(localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && loopback))
    throw new TypeError(`the key would travel unencrypted to ${text}: use https`);
}
