import { signal } from '@preact/signals';
import type { AnswerOf, EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { ErrorBody } from '../../contract/errors.ts';
import { OPERATIONS } from '../../contract/operations.gen.ts';
import { pathOf } from '../../contract/path-of.ts';
import { endSession, token } from './session.ts';

/**
 * Whether the console answered last (`stopped`: it did not), and whether the service behind it did (`unreachable`: it did
 * not; `failing`: with an error of its own).
 */
export const reach = signal<'ok' | 'failing' | 'unreachable' | 'stopped'>('ok');

/** The reason of an error where the console could not reach the service. */
export const UNREACHABLE = 'unreachable';

/** What the console or the service answered instead of a success. */
export class ApiError extends Error {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Name of the error, such as `not_found`. */
  readonly reason: string;
  readonly details: readonly { readonly field: string; readonly message: string }[];
  /** When the console can send the request, which it did not, in ms from now. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: Partial<ErrorBody> & { readonly retryAfterMs?: number }) {
    super(body.message ?? `The answer was HTTP ${status}.`);
    this.status = status;
    this.reason = body.error ?? '';
    this.details = body.details ?? [];
    this.retryAfterMs = body.retryAfterMs;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface CallOptions<N extends EndpointName> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: RequestOf<N>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Calls an operation of the service through the console. Throws ApiError. */
export function call<N extends EndpointName>(name: N, options: CallOptions<N> = {}): Promise<AnswerOf<N>> {
  const path = `/api${pathOf(name, { ...options.params })}${search(options.query)}`;
  const { body, headers, signal } = options;
  return request(OPERATIONS[name].method, path, { body, headers, signal }) as Promise<AnswerOf<N>>;
}

/** The request of an operation, `POST /v1/events`; empty for a name that is none. */
export function requestLine(name: string): string {
  const found = OPERATIONS[name as EndpointName] as (typeof OPERATIONS)[EndpointName] | undefined;
  return found ? `${found.method} ${found.path}` : '';
}

/** Calls an endpoint of the console itself, below `/console/`. Throws ApiError. */
export function ask<T>(
  path: string,
  options: { method?: string; query?: Query; body?: unknown; signal?: AbortSignal } = {},
): Promise<T> {
  const { method = 'GET', query, ...rest } = options;
  return request(method, `/console/${path}${search(query)}`, rest) as Promise<T>;
}

/** Sends a request with the token of the tab. Resolves with an answer of status 2xx; throws ApiError otherwise. */
export async function send(
  method: string,
  path: string,
  options: {
    body?: unknown;
    headers?: Readonly<Record<string, string>> | undefined;
    signal?: AbortSignal | undefined;
  } = {},
): Promise<Response> {
  const headers: Record<string, string> = { ...options.headers, 'x-console-token': token() ?? '' };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  const answer = await fetch(path, {
    method,
    headers,
    cache: 'no-store',
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    reach.value = 'stopped';
    throw new ApiError(0, { error: 'stopped', message: 'The console does not answer. Was it stopped?' });
  });
  if (answer.status === 401) endSession();
  if (answer.ok) {
    if (path.startsWith('/api/') || reach.value === 'stopped') reach.value = 'ok';
    return answer;
  }
  const body = (await answer.json().catch(() => ({}))) as Partial<ErrorBody>;
  if (body.error === UNREACHABLE) reach.value = 'unreachable';
  else if (answer.status >= 502 && answer.status <= 504) reach.value = 'failing';
  throw new ApiError(answer.status, body);
}

async function request(method: string, path: string, options: Parameters<typeof send>[2]): Promise<unknown> {
  const answer = await send(method, path, options);
  return answer.status === 204 ? undefined : answer.json();
}

/** Returns `?a=b`, without the values that are not set. */
export function search(query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}
