import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { ServiceError } from '../../contract/errors.ts';
import type { Detail } from '../../contract/validation.ts';
import { tcpListen } from '../../kit/tcp-listen.ts';
import { ambiguity } from './ambiguous-requests.ts';
import { discardRest } from './body.ts';
import { closingResponse } from './error-response.ts';
import { refuseMalformed } from './malformed-requests.ts';
import type { TlsKeyPair } from './tls.ts';

/** Time limits for the headers of a request and for the whole request. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Idle limit of a connection, for example of a client that does not read; streams write at least every 15 s. */
const STALLED_MS = 120_000;
/** Interval at which Node checks the first two limits. */
const CHECK_MS = 1_000;

/** How long a new connection may be without a request while the server closes: the request may be on its way. */
const SILENT_MS = 1_000;
/**
 * How long a connection is kept after its last answer while the server closes: the next request may be on its way, and
 * is answered with `Connection: close`.
 */
const LINGER_MS = 500;
/** Interval at which connections are closed while the server closes. */
const SWEEP_MS = 20;

/** Thrown by a Fetch that has answered on `bindings.outgoing` itself. */
export class AnswerSent extends Error {}

/** Answers one request. */
export type Fetch = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

export interface Listening {
  readonly port: number;
  /** Uses another certificate for new connections. Only for a server with TLS. */
  useKeyPair(pair: TlsKeyPair): void;
  /** Accepts no new requests, waits up to `graceMs` for those in progress, then destroys the remaining connections. */
  close(graceMs: number): Promise<void>;
}

/**
 * Serves the application over HTTP/1.1. A connection that is idle for `stalledMs` is destroyed: otherwise an answer that
 * its client never reads would stay in memory. With `tls`, only over TLS. Rejects with the listen error (EADDRINUSE,
 * EACCES, …).
 */
export async function listen(
  serve: Fetch,
  host: string,
  port: number,
  stalledMs = STALLED_MS,
  headersTimeoutMs = HEADERS_TIMEOUT_MS,
  tls?: TlsKeyPair,
): Promise<Listening> {
  const answer = getRequestListener((request, bindings) => serve(request, bindings as HttpBindings), {
    // `errorResponse` discards unread bodies, with higher limits.
    autoCleanupIncoming: false,
    errorHandler: (error) => (error instanceof AnswerSent ? undefined : invalidTarget()),
  });
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: 60_000,
    maxHeaderSize: 32 * 1024,
    // Checked below, so that the error has the form of this service.
    requireHostHeader: false,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const ambiguous = ambiguity(request);
    if (ambiguous) return void refuse(request, response, ambiguous);
    // Only HTTP/1.1 requires a Host header (RFC 9112, 3.2); health checks of load balancers may use HTTP/1.0.
    if (request.httpVersion === '1.0') request.headers.host ??= 'localhost';
    void answer(request, response);
  };
  const secure = tls && createTlsServer({ ...limits, ...tls, handshakeTimeout: headersTimeoutMs }, onRequest);
  const server = secure ?? createServer(limits, onRequest);
  server.setTimeout(stalledMs);
  const connections = openConnections(server, secure ? 'secureConnection' : 'connection');
  const pauses = watchPauses();
  refuseMalformed(server, pauses.wasPaused);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    void refuse(request, response, { field: 'Expect', message: 'can only be 100-continue' });
  });
  return {
    port: await tcpListen(server, host, port),
    useKeyPair: (pair) => secure?.setSecureContext(pair),
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        const sweep = setInterval(connections.closeIdle, SWEEP_MS);
        connections.endAfterAnswer();
        // Node's `close` calls it, and a request may be on its way.
        server.closeIdleConnections = () => {};
        server.close(() => {
          pauses.stop();
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
        connections.closeIdle();
      }),
  };
}

interface Connection {
  /** Requests that have not been read, and answers that have not been sent, to their end. */
  open: number;
  /** When it was opened, or its last request was answered, by the process's clock. */
  since: number;
  /** What had been read from it then. */
  bytesRead: number;
  /** The answer to its last request. */
  answer: ServerResponse | undefined;
}

/**
 * The open connections of a server, to end them without losing a request. Node's `closeIdleConnections` closes those
 * between two requests whatever is on its way, and none on which no request has begun, which a client may hold for long:
 * undici connects again at once after it has cancelled a stream. Node's `close` does not end them after an answer.
 */
function openConnections(server: Server, event: 'connection' | 'secureConnection') {
  const connections = new Map<Socket, Connection>();
  let closing = false;
  server.on(event, (socket: Socket) => {
    connections.set(socket, { open: 0, since: performance.now(), bytesRead: 0, answer: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    connection.answer = response;
    if (closing) response.shouldKeepAlive = false;
    for (const part of [request, response]) {
      connection.open++;
      part.once('close', () => {
        connection.open--;
        connection.since = performance.now();
        connection.bytesRead = socket.bytesRead;
      });
    }
  });
  return {
    /** Ends each connection with the answer to its last request, if that has not begun. */
    endAfterAnswer() {
      closing = true;
      for (const { answer } of connections.values())
        if (answer && !answer.headersSent) answer.shouldKeepAlive = false;
    },
    /** Closes the connections on which no request is expected any more. */
    closeIdle() {
      const now = performance.now();
      for (const [socket, { open, since, bytesRead, answer }] of connections)
        if (open === 0 && socket.bytesRead === bytesRead && now - since > (answer ? LINGER_MS : SILENT_MS))
          socket.destroy();
    },
  };
}

/** Notices that the process stood still (SIGSTOP, a suspended machine): limits on the time of clients ran meanwhile. */
function watchPauses(): { wasPaused(): boolean; stop(): void } {
  let last = performance.now();
  let pausedUntil = 0;
  const note = () => {
    const now = performance.now();
    if (now - last > 2 * CHECK_MS) pausedUntil = now + CHECK_MS;
    last = now;
  };
  const timer = setInterval(note, CHECK_MS).unref();
  return {
    wasPaused: () => {
      note();
      return last < pausedUntil;
    },
    stop: () => clearInterval(timer),
  };
}

/** Answers 400 without passing the request to the application, and ends the connection. */
async function refuse(request: IncomingMessage, response: ServerResponse, detail: Detail): Promise<void> {
  const { status, text, headers } = closingResponse(new ServiceError('invalid_request', undefined, [detail]));
  await discardRest(request);
  response.writeHead(status, headers).end(text);
}

/** Answers a request whose target or Host header does not form a URL. */
function invalidTarget(): Response {
  const { status, text, headers } = closingResponse(
    new ServiceError('invalid_request', undefined, [
      { field: 'request', message: 'has an address or a Host header that is not valid' },
    ]),
  );
  return new Response(text, { status, headers });
}
