import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { newId } from '../../kit/id.ts';

/** How long a client has to take its refusal before the connection is cut. */
const LINGER_MS = 2_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers what is not HTTP, or comes too slowly, as far as there is anyone to answer, and ends the connection. */
export function refuseMalformed(server: Server): void {
  const latest = new WeakMap<Duplex, Exchange>();
  const refused = new WeakSet<Duplex>();

  server.prependListener('request', (request, response) => {
    latest.set(request.socket, { request, response });
  });

  const refuse = (socket: Duplex, error: ServiceError) => {
    refused.add(socket);
    socket.on('error', () => socket.destroy());
    socket.end(asHttp(error));
    // Closing with unread bytes would take the answer from the client.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const exchange = latest.get(socket);
    if (exchange && !exchange.response.writableFinished) {
      // The answer under way is not this junk's: it goes out first, and the connection ends with it.
      if (exchange.request.complete) return void exchange.response.once('close', () => socket.destroy());
      // A body that went wrong after its answer was begun.
      if (exchange.response.headersSent) return void socket.destroy();
    } else if (exchange && !exchange.request.complete) return void socket.destroy();
    refuse(socket, notHttp(error.code));
  });

  server.on('connect', (_request, socket) => refuse(socket, new ServiceError('method_not_allowed')));
}

function notHttp(code: string | undefined): ServiceError {
  const message =
    code === 'HPE_HEADER_OVERFLOW'
      ? 'has headers over 32 KiB'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'came too slowly'
        : 'is not HTTP/1.1';
  return new ServiceError('invalid_request', 'This is no HTTP request that can be answered.', [
    { field: 'request', message },
  ]);
}

function asHttp(error: ServiceError): string {
  const requestId = newId('req');
  const body = JSON.stringify(error.body(requestId));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `${HEADERS.requestId}: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
