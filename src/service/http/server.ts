import type { Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { ServiceError } from '../../contract/errors.ts';
import { newId } from '../../kit/id.ts';

/** How long a client may take over its headers, and over its whole request. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;

export interface Listening {
  readonly port: number;
  /** Takes no new requests, finishes those under way (up to `graceMs`), then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** Serves the application over HTTP/1.1. Rejects with the listen error (EADDRINUSE, EACCES, …). */
export async function listen(
  app: Hono<{ Bindings: HttpBindings }>,
  host: string,
  port: number,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: 60_000,
      maxHeaderSize: 32 * 1024,
    },
  }) as Server;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const requestId = newId('req');
    const body = JSON.stringify(
      new ServiceError('invalid_request', 'This is no HTTP request that can be answered.', [
        {
          field: 'request',
          message:
            error.code === 'HPE_HEADER_OVERFLOW'
              ? 'has headers over 32 KiB'
              : 'is not HTTP/1.1, or came too slowly',
        },
      ]).body(requestId),
    );
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
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
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
