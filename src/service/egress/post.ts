import { type Dispatcher, request } from 'undici';
import { parseRetryAfter } from './retry-after.ts';

/** Milliseconds a receiver has for its whole answer, connection and body included (docs/decisions.md). */
export const DELIVERY_DEADLINE_MS = 15_000;
/** Bytes of an answer's body that are read; the rest is not waited for. */
export const ANSWER_BYTES = 64 * 1024;

export interface PostOptions {
  readonly dispatcher: Dispatcher;
  readonly deadlineMs: number;
  /** Wall clock, unix ms; for a Retry-After that is a date. */
  readonly now: () => number;
  /** Stops the attempt when the service stops. */
  readonly signal?: AbortSignal;
}

/** How one attempt went. `status` is null where no complete answer came, and `error` then says why, in words. */
export interface PostResult {
  readonly status: number | null;
  readonly error: string | null;
  /** Milliseconds that the receiver asked to wait, or null. */
  readonly retryAfterMs: number | null;
}

/**
 * Sends one body and reads the answer within one deadline. Never throws: whatever goes wrong is a result.
 * An answer longer than `ANSWER_BYTES` counts by its status, and its connection is closed.
 */
export async function post(
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
  options: PostOptions,
): Promise<PostResult> {
  const stop = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop.abort();
  }, options.deadlineMs);
  const onStop = () => stop.abort();
  options.signal?.addEventListener('abort', onStop, { once: true });
  if (options.signal?.aborted) stop.abort();
  try {
    const answer = await request(url, {
      method: 'POST',
      body,
      headers,
      signal: stop.signal,
      dispatcher: options.dispatcher,
    });
    await readBounded(answer.body);
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      error: null,
      retryAfterMs: parseRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, options.now()),
    };
  } catch (error) {
    return {
      status: null,
      error: late ? `no complete answer within ${options.deadlineMs / 1000} s` : words(error),
      retryAfterMs: null,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onStop);
  }
}

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<void> {
  let left = ANSWER_BYTES;
  for await (const chunk of body) {
    left -= (chunk as Buffer).byteLength;
    // Leaving the loop destroys the stream, and with it the connection.
    if (left <= 0) return;
  }
}

function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  return inner?.message || error.message || error.name;
}
