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
      throw asTransportError(error, base, method);
    }
  };

  return {
    open,
    async exchange(request) {
      const { status, headers, body } = await open(request);
      const { chunks } = await readWhole(body, base).catch((error: unknown) => {
        throw asTransportError(error, base, request.method);
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

/** A failed fetch is a TypeError, whose cause says why in Node.js. */
function asTransportError(error: unknown, base: URL, method: string): TransportError {
  const { cause } = error as { cause?: { code?: unknown } };
  return toTransportError(typeof cause?.code === 'string' ? cause : error, base, method);
}
