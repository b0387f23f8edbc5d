/** Sends deliveries to a handler: an HTTP POST of exact bytes, shared by listen, send, replay and test. */
import http from 'node:http';
import https from 'node:https';

/** Time limit for the whole answer of a handler, in ms; the same as the service's (docs/design-choices.md). */
const ANSWER_DEADLINE_MS = 15_000;
/** Maximum number of bytes kept of an answer. The rest is read and discarded. */
const ANSWER_BYTES = 64 * 1024;

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Up to 64 KiB of the answer's body. */
  readonly body: Buffer;
  readonly durationMs: number;
}

/** A delivery without an answer. `code` is that of Node (`ECONNREFUSED`), `TIMEOUT` or `ABORTED`. */
export interface NoAnswer {
  readonly status: null;
  readonly code: string;
  readonly error: string;
  readonly durationMs: number;
}

export interface DeliverOptions {
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Writes the body in this many chunks, each after a pause of `pauseMs`, to simulate a slow network. */
  readonly chunks?: { readonly count: number; readonly pauseMs: number };
}

/** Alternating header names and values, in their original order and spelling. */
export type RawHeaders = readonly string[];

/** Posts deliveries over connections that stay open between them. */
export class Deliverer {
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 256 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 256 }),
  };

  /**
   * Posts `body` unchanged. Does not follow redirects. Never rejects: a missing answer is a result.
   * Sets `Host` and `Content-Length`, which must not be in `headers`.
   */
  async post(
    url: URL,
    body: Buffer,
    headers: RawHeaders,
    options: DeliverOptions = {},
  ): Promise<Answer | NoAnswer> {
    const first = await this.#once(url, body, headers, options, true);
    // The peer closed an idle connection. Handlers must accept repeated deliveries, so a retry is safe.
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
        // A handler may answer and close before it has read the body; the answer counts, not this error.
        if (answering) return;
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        stop(stale ? 'STALE' : (error.code ?? 'ERROR'), messageOf(error));
      });
      request.on('response', (response) => {
        answering = true;
        const parts: Buffer[] = [];
        let kept = 0;
        response.on('data', (chunk: Buffer) => {
          if (kept >= ANSWER_BYTES) return;
          parts.push(chunk.subarray(0, ANSWER_BYTES - kept));
          kept += chunk.length;
        });
        response.on('end', () => {
          if (settled) return;
          const status = response.statusCode as number;
          settle({
            status,
            headers: response.headers,
            body: Buffer.concat(parts),
            durationMs: durationMs(),
          });
        });
        response.on('error', (error: NodeJS.ErrnoException) => stop(error.code ?? 'ERROR', messageOf(error)));
        response.on('close', () =>
          stop('ECONNRESET', 'the connection closed before the answer was complete'),
        );
      });
      void write(request, body, options.chunks, () => settled);
    });
  }
}

async function write(
  request: http.ClientRequest,
  body: Buffer,
  chunks: DeliverOptions['chunks'],
  settled: () => boolean,
): Promise<void> {
  if (chunks === undefined) {
    request.end(body);
    return;
  }
  const size = Math.max(1, Math.ceil(body.length / chunks.count));
  request.flushHeaders();
  for (let at = 0; at < body.length && !settled(); at += size) {
    await new Promise((resolve) => setTimeout(resolve, chunks.pauseMs));
    request.write(body.subarray(at, at + size));
  }
  request.end();
}

/** Headers that apply to a single connection (RFC 9110, 7.6.1), and those that `post` sets. */
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

/** Returns the header lines to forward: all but the hop-by-hop ones. */
export function endToEnd(raw: RawHeaders): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as string;
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, raw[i + 1] as string);
  }
  return kept;
}

function messageOf(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  return inner?.message || error.message || error.name;
}
