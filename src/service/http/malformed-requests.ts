import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../contract/errors.ts';
import { closingResponse } from './error-response.ts';

/** How long a client may take to read the error before the connection is destroyed. */
const LINGER_MS = 2_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Answers requests that are not valid HTTP or arrive too slowly, if they can be answered, and ends the connection.
 * `wasPaused` says whether this process stood still shortly before: then it, not the client, was too slow.
 */
export function refuseMalformed(server: Server | TlsServer, wasPaused: () => boolean): void {
  const latest = new WeakMap<Duplex, Exchange>();
  const refused = new WeakSet<Duplex>();

  server.prependListener('request', (request, response) => {
    latest.set(request.socket, { request, response });
  });

  const refuse = (socket: Duplex, error: ServiceError) => {
    refused.add(socket);
    socket.on('error', () => socket.destroy());
    socket.end(asHttp(error));
    // Closing with unread bytes would reset the connection and lose the answer.
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const exchange = latest.get(socket);
    if (exchange && !exchange.response.writableFinished) {
      // The answer in progress belongs to the request before: it is sent first, then the connection ends.
      if (exchange.request.complete) return void exchange.response.once('close', () => socket.destroy());
      // The body failed after its answer was started.
      if (exchange.response.headersSent) return void socket.destroy();
    } else if (exchange && !exchange.request.complete) return void socket.destroy();
    const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && wasPaused();
    refuse(socket, late ? new ServiceError('unavailable') : notHttp(error.code));
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
  return new ServiceError('invalid_request', 'The request is not valid HTTP.', [
    { field: 'request', message },
  ]);
}

function asHttp(error: ServiceError): string {
  const { status, text, headers } = closingResponse(error);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n');
}
