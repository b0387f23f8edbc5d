import { type Dispatcher, request } from 'undici';
import { errorText } from '../../../kit/error-text.ts';
import { watchWritten } from '../../../kit/http/watch-written.ts';
import { AnswerTooLarge } from './bounded-answers.ts';

/** Milliseconds for a whole exchange with an untrusted server, connection and response included. */
export const EXCHANGE_DEADLINE_MS = 15_000;
/** Milliseconds for name, TCP and TLS together: a connection that cannot be made fails before the deadline, as such. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Bytes read of a response body; a longer response counts by its status. */
const ANSWER_BYTES = 64 * 1024;
/** Maximum number of informational responses (1xx) before the final one. */
const MAX_INFORMATIONAL = 8;

export interface ExchangeOptions {
  /** A boundedAgent or a guardedAgent. */
  readonly dispatcher: Dispatcher;
  /** For the connection, the request and the complete response. */
  readonly deadlineMs: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Default: POST. */
  readonly method?: 'POST' | 'PUT';
}

/** A complete response, or why there was none. */
export type ExchangeResult =
  | {
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** The first `ANSWER_BYTES` of the body. */
      readonly body: Buffer;
    }
  | {
      readonly status: null;
      readonly error: string;
      /** False if no byte of the request was written, so that it cannot have arrived. */
      readonly written: boolean;
    };

/**
 * Sends one request to an untrusted server. Never throws.
 * A response longer than `ANSWER_BYTES` counts by its status, and its connection is closed.
 */
export async function exchange(
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
  { dispatcher, deadlineMs, signal, method = 'POST' }: ExchangeOptions,
): Promise<ExchangeResult> {
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new Error(`no complete answer within ${deadlineMs / 1000} s`)),
    deadlineMs,
  );
  const onAbort = () => stop.abort();
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) stop.abort();
  let informational = 0;
  const watched = watchWritten(dispatcher);
  // undici does not end a request that waits for its connection, but writes nothing of it later.
  const unwritten = new Promise<never>((_, reject) => {
    const end = () => watched.written() || reject(stop.signal.reason);
    if (stop.signal.aborted) end();
    else stop.signal.addEventListener('abort', end, { once: true });
  });
  unwritten.catch(() => {});
  try {
    const sent = request(url, {
      method,
      body,
      headers,
      signal: stop.signal,
      dispatcher: watched.dispatcher,
      onInfo: () => {
        if (++informational > MAX_INFORMATIONAL)
          stop.abort(new AnswerTooLarge(`begins with more than ${MAX_INFORMATIONAL} informational ones`));
      },
    });
    const response = await Promise.race([sent, unwritten]);
    const read = await readBounded(response.body);
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      headers: response.headers,
      body: read,
    };
  } catch (error) {
    return { status: null, error: errorText(error), written: watched.written() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = ANSWER_BYTES;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      left -= (chunk as Buffer).byteLength;
      // Leaving the loop destroys the stream, and with it the connection.
      if (left <= 0) break;
    }
  } catch (error) {
    // A body with more framing than data is a body that is too long.
    if (!(error instanceof AnswerTooLarge)) throw error;
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES);
}
