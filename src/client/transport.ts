// Not the whole package: its fetch, caches and WebSockets would double the time that a short command takes.
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { watchWritten } from '../kit/http/watch-written.ts';
import { readWhole } from './answer-body.ts';
import type { Exchange } from './exchange.ts';
import type { Open } from './open-stream.ts';
import { toTransportError } from './transport-errors.ts';

export interface Transport {
  readonly exchange: Exchange;
  readonly open: Open;
  close(): Promise<void>;
}

/** HTTP/1.1 to one base URL over undici. Redirects are not followed, so that the key is sent nowhere else. */
export function httpTransport(
  baseUrl: string,
  { connections = 32, connectTimeoutMs = 10_000 } = {},
): Transport {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const pool = new Pool(base.origin, {
    connections,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
  });

  const open: Transport['open'] = async (outgoing) => {
    const watched = watchWritten(pool);
    try {
      const answer = await request.call(watched.dispatcher, {
        method: outgoing.method as 'GET',
        path: prefix + outgoing.path,
        headers: outgoing.headers,
        body: outgoing.body ?? null,
        signal: outgoing.signal ?? null,
      });
      return { status: answer.statusCode, headers: flatten(answer.headers), body: answer.body };
    } catch (error) {
      throw toTransportError(error, base, outgoing.method, watched.written());
    }
  };

  return {
    open,
    async exchange(request) {
      const { status, headers, body } = await open(request);
      const { chunks, bytes } = await readWhole(body, base).catch((error: unknown) => {
        throw toTransportError(error, base, request.method, true);
      });
      return { status, headers, body: Buffer.concat(chunks, bytes) };
    },
    close: () => pool.destroy(),
  };
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
