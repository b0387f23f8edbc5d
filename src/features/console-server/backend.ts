import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../../client/client.ts';
import { ApiError, TransportError } from '../../client/errors.ts';
import { LimitReached } from '../../client/pacer/pacer.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';
import type { Fetch } from '../../service/http/server.ts';
import type { Called } from './operations.ts';
import { Refusal } from './refusal.ts';

/** A request to the service. `incoming` is that of the page, whose body is passed on. */
export interface Forwarded {
  readonly called: Called;
  /** The headers that are passed on, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Aborts when the page is gone. */
  readonly signal: AbortSignal;
}

interface BackendAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The service behind the console. Rejects with Refusal if there is no answer. */
export type Backend = (request: Forwarded) => Promise<BackendAnswer>;

/** The service in this process, which counts nothing. */
export function insideBackend(answer: Fetch): Backend {
  return async ({ called, headers, incoming, outgoing, signal }) => {
    // The service reads the body from `incoming`; the address only needs a form.
    const request = new Request(`http://console.invalid${called.path}`, {
      method: called.endpoint.method,
      headers,
      signal,
    });
    const response = await answer(request, { incoming, outgoing });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: response.body ? chunksOf(response.body, signal) : none(),
    };
  };
}

async function* chunksOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  // A stream of events may be silent for long: waiting for its next chunk ends with the page.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    for (let part = await reader.read(); !part.done && !signal.aborted; part = await reader.read())
      yield part.value;
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}

/**
 * How a console uses a remote service: a part of its limits, and few retries, since somebody looks at the page, which asks
 * again by itself.
 */
export const PACING = { share: 0.1, longestWaitMs: 2_000, maxRetries: 1 } as const;

/** A service that is reached over the network, through the client: with the key, paced, with retries. */
export function remoteBackend(client: Client): Backend {
  return async ({ called, headers, incoming, signal }) => {
    const { name, endpoint, path } = called;
    const request = {
      method: endpoint.method,
      path,
      headers: { ...headers },
      group: endpoint.group,
      repeatable: endpoint.repeat === 'always',
      signal,
    };
    try {
      if (endpoint.stream) {
        const query = Object.fromEntries(new URL(`http://console.invalid${path}`).searchParams);
        const body = await client.stream(name, { query, signal });
        return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: untilLost(body) };
      }
      const body = endpoint.method === 'GET' ? undefined : await bodyOf(incoming);
      const answer = await client.send({ ...request, body });
      return { status: answer.status, headers: answer.headers, body: once(answer.body) };
    } catch (error) {
      if (error instanceof ApiError)
        return {
          status: error.status,
          headers: error.headers,
          body: once(Buffer.from(JSON.stringify(error.body ?? {}))),
        };
      if (error instanceof LimitReached)
        throw new Refusal(
          429,
          'console_share',
          `The console uses at most a tenth of each limit of the service. The next request can be sent in ${Math.ceil(error.waitMs / 1000)} s.`,
          { retryAfterMs: Math.ceil(error.waitMs) },
        );
      if (error instanceof TransportError)
        throw new Refusal(502, 'unreachable', `The service cannot be reached: ${error.message}.`);
      throw error;
    }
  };
}

/** Ends where the stream is lost, as where it ends: the page takes it up again after the last event. */
async function* untilLost(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    // The service was stopped or killed, or the network is gone. Opening the stream again says which.
  }
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** Reads a body of at most 8 MiB. Undefined if it is empty. Throws Refusal. */
export async function bodyOf(
  incoming: IncomingMessage,
  limit = MAX_BODY_BYTES,
): Promise<Uint8Array | undefined> {
  const { readBody } = await import('../../service/http/body.ts');
  try {
    const body = await readBody(incoming, limit);
    return body.length === 0 ? undefined : body;
  } catch (error) {
    const {
      status = 400,
      reason = 'invalid_request',
      message,
    } = error as {
      status?: number;
      reason?: string;
      message: string;
    };
    throw new Refusal(status, reason, message);
  }
}
