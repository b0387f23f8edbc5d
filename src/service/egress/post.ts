import { type Dispatcher, request } from 'undici';
import { parseRetryAfter } from '../../kit/retry-after.ts';
import { LONGEST_RETRY_AFTER_MS } from '../domain/deliveries/schedule.ts';
import { AnswerTooLarge } from './bounded-answers.ts';

/** Milliseconds a receiver has for its whole answer, connection and body included (docs/decisions.md). */
export const DELIVERY_DEADLINE_MS = 15_000;
/** Bytes of an answer's body that are read; the rest is not waited for. */
export const ANSWER_BYTES = 64 * 1024;
/** Most informational answers (1xx) before the answer itself. */
const INFORMATIONAL = 8;
/** Most characters of an error's words: a certificate, for one, can hold 100 KB of names. */
const WORDS = 300;

export interface ExchangeOptions {
  /** Must be a boundedAgent or a guardedAgent. */
  readonly dispatcher: Dispatcher;
  /** For the connection, the request and the whole answer. */
  readonly deadlineMs: number;
  /** Stops the attempt when the service stops. */
  readonly signal?: AbortSignal;
}

export interface PostOptions extends ExchangeOptions {
  /** Wall clock, unix ms; for a Retry-After that is a date. */
  readonly now: () => number;
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
  try {
    const answer = await exchange(url, body, headers, options);
    return {
      status: answer.status,
      error: null,
      retryAfterMs:
        parseRetryAfter(answer.retryAfter, { now: options.now(), longestMs: LONGEST_RETRY_AFTER_MS }) ?? null,
    };
  } catch (error) {
    return { status: null, error: wordsOf(error), retryAfterMs: null };
  }
}

/** One request to a server that is not trusted. Throws where no complete answer came, for `wordsOf` to describe. */
export async function exchange(
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
  { dispatcher, deadlineMs, signal }: ExchangeOptions,
): Promise<{ status: number; retryAfter: string | undefined }> {
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new Error(`no complete answer within ${deadlineMs / 1000} s`)),
    deadlineMs,
  );
  const onStop = () => stop.abort();
  signal?.addEventListener('abort', onStop, { once: true });
  if (signal?.aborted) stop.abort();
  let informational = 0;
  try {
    const answer = await request(url, {
      method: 'POST',
      body,
      headers,
      signal: stop.signal,
      dispatcher,
      onInfo: () => {
        if (++informational > INFORMATIONAL)
          stop.abort(new AnswerTooLarge(`begins with more than ${INFORMATIONAL} informational ones`));
      },
    });
    await readBounded(answer.body);
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onStop);
  }
}

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<void> {
  let left = ANSWER_BYTES;
  try {
    for await (const chunk of body) {
      left -= (chunk as Buffer).byteLength;
      // Leaving the loop destroys the stream, and with it the connection.
      if (left <= 0) return;
    }
  } catch (error) {
    // A body in more framing than data is one that is too long.
    if (!(error instanceof AnswerTooLarge)) throw error;
  }
}

/** What went wrong, in one short line: parts of it may be the other side's words. */
export function wordsOf(error: unknown): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  const text = error instanceof Error ? inner?.message || error.message || error.name : String(error);
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > WORDS ? `${line.slice(0, WORDS)}…` : line;
}
