// Not the whole package: its fetch, caches and WebSockets would double the time of a short command.
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { TransportError } from './errors.ts';
import type { Exchange, Outgoing } from './exchange.ts';

/** Most bytes of an answer that are read; an endless one ends here. */
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

const UNTRUSTED = 'its certificate is of an authority that is not trusted here';

/** What the less speaking codes mean. */
export const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'no name server answers',
  UND_ERR_CONNECT_TIMEOUT: 'no answer to the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no TLS there, perhaps plain http',
};

export interface Transport {
  readonly exchange: Exchange;
  /** Sends a request and hands over the answer's head and its body as a stream. Redirects are not followed. */
  readonly open: (
    request: Outgoing,
  ) => Promise<{ status: number; headers: Record<string, string>; body: AsyncIterable<Buffer> }>;
  close(): Promise<void>;
}

/** HTTP/1.1 to one base URL over undici. Redirects are never followed, so the key goes nowhere else. */
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
            throw new TransportError('answer', true, `the answer of ${base.origin} is larger than 32 MiB`);
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
    return new TransportError('timeout', true, `${base.origin} did not answer in time`, error);
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
      `${base.origin} sent an answer that is not HTTP/1.1 or is too large (${code})`,
      error,
    );
  }
  return new TransportError(
    // A read has no effect that could be in doubt.
    method === 'GET' ? 'unreachable' : 'lost',
    true,
    `the connection to ${base.origin} was lost (${code || cause.message})`,
    error,
  );
}
