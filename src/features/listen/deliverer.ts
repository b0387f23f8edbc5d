/** One HTTP POST of exact bytes: how deliveries are forwarded, sent, replayed and tried on a handler. */
import http from 'node:http';
import https from 'node:https';

/** Milliseconds that a handler has for its whole answer, as the service gives it (docs/decisions.md). */
export const ANSWER_DEADLINE_MS = 15_000;
/** Bytes of an answer that are kept. The rest is read and dropped. */
const ANSWER_BYTES = 64 * 1024;

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Up to 64 KiB of the answer's body. */
  readonly body: Buffer;
  readonly durationMs: number;
}

/** No answer came. `code` is Node's (`ECONNREFUSED`), or `TIMEOUT`. */
export interface NoAnswer {
  readonly status: null;
  readonly code: string;
  readonly error: string;
  readonly durationMs: number;
}

export interface DeliverOptions {
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Writes the body in these pieces, each after a pause of `pauseMs`, as a slow network does. */
  readonly pieces?: { readonly count: number; readonly pauseMs: number };
}

/** Header lines as name and value alternating, which keeps their order and spelling. */
export type RawHeaders = readonly string[];

/** Holds connections open between deliveries. */
export class Deliverer {
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 256 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 256 }),
  };

  /**
   * Posts `body` as it is. Redirects are not followed. Never rejects: no answer is a result too.
   * `Host` and `Content-Length` are set here and must not be among `headers`.
   */
  async post(
    url: URL,
    body: Buffer,
    headers: RawHeaders,
    options: DeliverOptions = {},
  ): Promise<Answer | NoAnswer> {
    const first = await this.#once(url, body, headers, options, true);
    // A kept connection that the other side closed meanwhile. Deliveries may come twice, so repeating one is safe.
    return first.status === null && first.code === 'STALE'
      ? this.#once(url, body, headers, options, false)
      : first;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #once(
    url: URL,
    body: Buffer,
    headers: RawHeaders,
    options: DeliverOptions,
    mayReuse: boolean,
  ): Promise<Answer | NoAnswer> {
    const started = performance.now();
    const durationMs = () => Math.round(performance.now() - started);
    const secure = url.protocol === 'https:';
    const deadline = options.deadlineMs ?? ANSWER_DEADLINE_MS;
    return new Promise((resolve) => {
      const agent = mayReuse && this.#agents[secure ? 'https:' : 'http:'];
      const lines = [...headers, 'Host', url.host, 'Content-Length', String(body.length)];
      const request = (secure ? https : http).request(url, { method: 'POST', agent, headers: lines });
      const timer = setTimeout(
        () => stop('TIMEOUT', `no complete answer within ${deadline / 1000} s`),
        deadline,
      );
      const onAbort = () => stop('ABORTED', 'stopped');
      let settled = false;
      const settle = (result: Answer | NoAnswer) => {
        settled = true;
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onAbort);
        resolve(result);
      };
      const stop = (code: string, error: string) => {
        if (settled) return;
        settle({ status: null, code, error, durationMs: durationMs() });
        request.destroy();
      };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      if (options.signal?.aborted) onAbort();
      let answering = false;
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A handler may answer before it has read the body, and close: its answer counts, not that.
        if (answering) return;
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        stop(stale ? 'STALE' : (error.code ?? 'ERROR'), words(error));
      });
      request.on('response', (response) => {
        answering = true;
        const chunks: Buffer[] = [];
        let kept = 0;
        response.on('data', (chunk: Buffer) => {
          if (kept >= ANSWER_BYTES) return;
          chunks.push(chunk.subarray(0, ANSWER_BYTES - kept));
          kept += chunk.length;
        });
        response.on('end', () => {
          if (settled) return;
          const status = response.statusCode as number;
          settle({
            status,
            headers: response.headers,
            body: Buffer.concat(chunks),
            durationMs: durationMs(),
          });
        });
        response.on('error', (error: NodeJS.ErrnoException) => stop(error.code ?? 'ERROR', words(error)));
        response.on('close', () => stop('ECONNRESET', 'the answer was cut off'));
      });
      void write(request, body, options.pieces, () => settled);
    });
  }
}

async function write(
  request: http.ClientRequest,
  body: Buffer,
  pieces: DeliverOptions['pieces'],
  settled: () => boolean,
): Promise<void> {
  if (pieces === undefined) {
    request.end(body);
    return;
  }
  const size = Math.max(1, Math.ceil(body.length / pieces.count));
  request.flushHeaders();
  for (let at = 0; at < body.length && !settled(); at += size) {
    await new Promise((resolve) => setTimeout(resolve, pieces.pauseMs));
    request.write(body.subarray(at, at + size));
  }
  request.end();
}

/** Lines that belong to one connection and not to the message (RFC 9110, 7.6.1), and those `post` sets itself. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
]);

/** The header lines that go along when a message is passed on. */
export function endToEnd(raw: RawHeaders): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as string;
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, raw[i + 1] as string);
  }
  return kept;
}

function words(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  return inner?.message || error.message || error.name;
}
