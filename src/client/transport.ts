// Not the whole package: its fetch, caches and WebSockets would double the time that a short command takes.
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { TransportError } from './errors.ts';
import type { Exchange, Outgoing } from './exchange.ts';

/** Upper bound on the bytes of a response, which may be endless. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

const UNTRUSTED = 'its certificate is not signed by a trusted authority';

/** Explanations of error codes that do not explain themselves. */
export const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the name server does not respond',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS, but perhaps plain http',
};

export interface Transport {
  readonly exchange: Exchange;
  /** Sends a request and resolves with the response, its body as a stream. Redirects are not followed. */
  readonly open: (
    request: Outgoing,
  ) => Promise<{ status: number; headers: Record<string, string>; body: AsyncIterable<Buffer> }>;
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
    try {
      const answer = await request.call(pool, {
        method: outgoing.method as 'GET',
        path: prefix + outgoing.path,
        headers: outgoing.headers,
        body: outgoing.body ?? null,
        signal: outgoing.signal ?? null,
      });
      return { status: answer.statusCode, headers: flatten(answer.headers), body: answer.body };
    } catch (error) {
      throw asTransportError(error, base, outgoing.method);
    }
  };

  return {
    open,
    async exchange(request) {
      const { status, headers, body } = await open(request);
      const chunks: Buffer[] = [];
      let bytes = 0;
      try {
        for await (const chunk of body) {
          bytes += chunk.length;
          if (bytes > MAX_ANSWER_BYTES) {
            throw new TransportError('answer', true, `the response of ${base.origin} is larger than 32 MiB`);
          }
          chunks.push(chunk);
        }
      } catch (error) {
        throw asTransportError(error, base, request.method);
      }
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

function asTransportError(error: unknown, base: URL, method: string): TransportError {
  if (error instanceof TransportError) return error;
  const cause = error as Error & { code?: string };
  const code = cause.code ?? '';
  if (cause.name === 'TimeoutError')
    return new TransportError('timeout', true, `${base.origin} did not respond in time`, error);
  if (cause.name === 'AbortError')
    return new TransportError('aborted', true, 'the request was interrupted', error);
  if (NEVER_CONNECTED.has(code)) {
    const why = WORDS[code] === undefined ? '' : `: ${WORDS[code]}`;
    return new TransportError(
      'unreachable',
      false,
      `${base.origin} cannot be reached${why} (${code})`,
      error,
    );
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || cause.name === 'HTTPParserError') {
    return new TransportError(
      'answer',
      true,
      `${base.origin} sent a response that is not HTTP/1.1 or is too large (${code})`,
      error,
    );
  }
  return new TransportError(
    // A read has no effect, so its outcome is not ambiguous.
    method === 'GET' ? 'unreachable' : 'lost',
    true,
    `the connection to ${base.origin} was lost (${code || cause.message})`,
    error,
  );
}
