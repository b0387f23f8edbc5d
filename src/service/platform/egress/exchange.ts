import type { Dispatcher } from 'undici';
import { errorText } from '../../../kit/error-text.ts';
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
export function exchange(
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
  { dispatcher, deadlineMs, signal, method = 'POST' }: ExchangeOptions,
): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    const running = new Exchange((result) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    });
    const timer = setTimeout(
      () => running.abort(new Error(`no complete answer within ${deadlineMs / 1000} s`)),
      deadlineMs,
    );
    const onAbort = () => running.abort(new DOMException('This operation was aborted', 'AbortError'));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) return onAbort();
    try {
      const { origin, pathname, search } = new URL(url);
      dispatcher.dispatch({ origin, path: pathname + search, method, headers, body }, running);
    } catch (error) {
      running.abort(error as Error);
    }
  });
}

/** One exchange, as undici tells of it: `request` of undici costs several times as much. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #end: (result: ExchangeResult) => void;
  readonly #chunks: Buffer[] = [];
  #ended = false;
  /** Set from the moment at which undici has a connection and writes the request. */
  #controller: Dispatcher.DispatchController | undefined;
  #informational = 0;
  #status: number | undefined;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  #left = ANSWER_BYTES;

  constructor(end: (result: ExchangeResult) => void) {
    this.#end = end;
  }

  /** Ends it without an answer. One that waits for its connection is not written later. */
  abort(reason: Error): void {
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) controller.abort(new Error('it ended before it was connected'));
    else this.#controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status >= 200) {
      this.#status = status;
      this.#headers = headers;
    } else if (++this.#informational > MAX_INFORMATIONAL)
      this.abort(new AnswerTooLarge(`begins with more than ${MAX_INFORMATIONAL} informational ones`));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#left -= chunk.byteLength;
    if (this.#left > 0) return;
    this.onResponseEnd();
    controller.abort(new Error('the rest of the answer is not read'));
  }

  onResponseEnd(): void {
    const retryAfter = this.#headers['retry-after'];
    this.#finish({
      status: this.#status!,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks).subarray(0, ANSWER_BYTES),
    });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A body with more framing than data is a body that is too long.
    if (this.#status !== undefined && error instanceof AnswerTooLarge) this.onResponseEnd();
    else this.#fail(error);
  }

  #fail(error: Error): void {
    this.#finish({ status: null, error: errorText(error), written: this.#controller !== undefined });
  }

  #finish(result: ExchangeResult): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#end(result);
  }
}
