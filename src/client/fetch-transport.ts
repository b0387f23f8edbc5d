import { concatBytes } from '../kit/concat-bytes.ts';
import { readWhole } from './answer-body.ts';
import type { TransportError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Open } from './open-stream.ts';
import { toTransportError } from './transport-errors.ts';

/** A transport over fetch, for every runtime. Redirects are not followed, so that the key is sent nowhere else. */
export function fetchTransport(
  baseUrl: string,
  fetch: typeof globalThis.fetch,
): { readonly exchange: Exchange; readonly open: Open } {
  const base = new URL(baseUrl);
  const prefix = base.origin + base.pathname.replace(/\/+$/, '');

  const open: Open = async ({ method, path, headers, body, signal }) => {
    try {
      const response = await fetch(prefix + path, {
        method,
        headers,
        redirect: 'manual',
        ...(body === undefined ? {} : { body: body as string | Uint8Array<ArrayBuffer> }),
        ...(signal ? { signal } : {}),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: chunksOf(response.body),
      };
    } catch (error) {
      throw asTransportError(error, base, method, false);
    }
  };

  return {
    open,
    async exchange(request) {
      const { status, headers, body } = await open(request);
      const { chunks } = await readWhole(body, base).catch((error: unknown) => {
        throw asTransportError(error, base, request.method, true);
      });
      return { status, headers, body: concatBytes(chunks) };
    },
  };
}

/** The chunks of a body. Not every runtime can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * What Node.js says that is raised before anything is written. Of fetch there is no other sign, so anything else counts
 * as written; where sockets can be seen, no code decides (kit/http/watch-written.ts).
 */
const UNWRITTEN = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
]);

/** A failed fetch is a TypeError, whose cause says why in Node.js. `answered`: the answer has begun. */
function asTransportError(error: unknown, base: URL, method: string, answered: boolean): TransportError {
  const { cause } = error as { cause?: { code?: unknown } };
  const code = typeof cause?.code === 'string' ? cause.code : undefined;
  const written = answered || code === undefined || !UNWRITTEN.has(code);
  return toTransportError(code === undefined ? error : cause, base, method, written);
}
