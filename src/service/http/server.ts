import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Detail } from '../../contract/validation.ts';
import { newId } from '../../kit/id.ts';
import { ambiguity } from './ambiguous-requests.ts';
import { discardRest } from './body.ts';
import { refuseMalformed } from './malformed-requests.ts';

/** How long a client may take over its headers, and over its whole request. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** How long a client may take nothing of its answer; streams write at least every 15 s. */
const STALLED_MS = 120_000;
/** How often the first two are looked at. */
const CHECK_MS = 1_000;

/** How often connections that became idle are looked for while the server closes. */
const SWEEP_MS = 20;

/** The service's answer to a request, as the HTTP server asks for it. */
export type Fetch = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

export interface Listening {
  readonly port: number;
  /** Takes no new requests, finishes those under way (up to `graceMs`), then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/**
 * Serves the application over HTTP/1.1. A connection on which nothing moves for `stalledMs` is cut: what its client does
 * not read would be kept for ever. Rejects with the listen error (EADDRINUSE, EACCES, …).
 */
export async function listen(
  serve: Fetch,
  host: string,
  port: number,
  stalledMs = STALLED_MS,
): Promise<Listening> {
  const answer = getRequestListener((request, bindings) => serve(request, bindings as HttpBindings), {
    // What nobody read of a body is passed over by `failure`, with room for large ones.
    autoCleanupIncoming: false,
    errorHandler: notForUs,
  });
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: 60_000,
      maxHeaderSize: 32 * 1024,
      // Answered below, in the service's own words.
      requireHostHeader: false,
    },
    (request, response) => {
      const unclear = ambiguity(request);
      if (unclear) return void refuse(request, response, unclear);
      // Only HTTP/1.1 must name a host (RFC 9112, 3.2); the health checks of balancers speak 1.0.
      if (request.httpVersion === '1.0') request.headers.host ??= 'localhost';
      void answer(request, response);
    },
  );
  server.setTimeout(stalledMs);
  refuseMalformed(server);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    void refuse(request, response, { field: 'Expect', message: 'can only be 100-continue' });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address');
  return {
    port: address.port,
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        // A connection that was busy is kept alive once its answer is out: it is idle from then on.
        const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/** Answers 400 before the application sees the request, and ends the connection. */
async function refuse(request: IncomingMessage, response: ServerResponse, detail: Detail): Promise<void> {
  const { status, text, headers } = plain(new ServiceError('invalid_request', undefined, [detail]));
  await discardRest(request);
  response.writeHead(status, headers).end(text);
}

/** A request whose address or Host header names nothing that could be looked for. */
function notForUs(): Response {
  const { status, text, headers } = plain(
    new ServiceError('invalid_request', undefined, [
      { field: 'request', message: 'has an address or a Host header that is not valid' },
    ]),
  );
  return new Response(text, { status, headers });
}

function plain(error: ServiceError): { status: number; text: string; headers: Record<string, string> } {
  const requestId = newId('req');
  const headers = { 'content-type': 'application/json', [HEADERS.requestId]: requestId, connection: 'close' };
  return { status: error.status, text: JSON.stringify(error.body(requestId)), headers };
}
