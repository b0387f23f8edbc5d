import { concatBytes } from '../kit/concat-bytes.ts';
import { checked } from './answers.ts';
import { TransportError } from './errors.ts';
import { compose, type Exchange, type Interceptor, type Outgoing } from './exchange.ts';

/** A response whose body is still arriving. */
interface Opened {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request and resolves with the head of the response. Redirects are not followed. */
export type Open = (request: Outgoing) => Promise<Opened>;

/** Upper bound on the bytes read of an error body when a stream was requested. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Opens streams of events: the response headers pass the interceptors within the timeout; the body bypasses both.
 * Rejects with ApiError or TransportError.
 */
export function streamOpener(open: Open, interceptors: readonly Interceptor[], timeoutMs: number) {
  return async (request: Outgoing): Promise<AsyncIterable<Uint8Array>> => {
    let body: AsyncIterable<Uint8Array> | undefined;
    const head: Exchange = async (outgoing) => {
      const opened = await openInTime(open, outgoing, timeoutMs);
      if (opened.body instanceof Uint8Array) return { ...opened, body: opened.body };
      if (!/^text\/event-stream\b/i.test(opened.headers['content-type'] ?? ''))
        throw new TransportError('answer', true, 'the response is not an event stream');
      body = opened.body;
      return { ...opened, body: new Uint8Array() };
    };
    checked(await compose(head, interceptors)(request));
    return body!;
  };
}

/** Resolves within the timeout with a stream, or with the beginning of the body of an error response. */
async function openInTime(open: Open, request: Outgoing, timeoutMs: number) {
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new DOMException('no response in time', 'TimeoutError')),
    timeoutMs,
  );
  const signals = [timeout.signal, ...(request.signal ? [request.signal] : [])];
  try {
    const opened = await open({ ...request, signal: AbortSignal.any(signals) });
    if (opened.status >= 200 && opened.status < 300) return opened;
    return { ...opened, body: await readStart(opened.body, MAX_ERROR_BYTES) };
  } finally {
    clearTimeout(timer);
  }
}

async function readStart(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= limit) break;
  }
  return concatBytes(chunks).subarray(0, limit);
}
