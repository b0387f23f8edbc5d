import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { tcpListen } from '../../kit/tcp-listen.ts';

type OnRequest = (request: IncomingMessage, response: ServerResponse) => void;

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 16 * 1024,
} as const;
/** More than the pages of one person need. */
const MAX_CONNECTIONS = 128;
/** A connection that is idle for longer is closed: a page that does not read holds no memory for ever. */
const STALLED_MS = 120_000;
const SWEEP_MS = 20;
const GRACE_MS = 1_000;
/** Attempts to find a port that is free for IPv4 and IPv6. */
const ATTEMPTS = 10;

function makeServer(onRequest: OnRequest, headers: OutgoingHttpHeaders): Server {
  const server = createServer(LIMITS, onRequest);
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(STALLED_MS);
  server.on('checkExpectation', (_, response: ServerResponse) => response.writeHead(417, headers).end());
  // No tunnel and no other protocol: the connection ends.
  for (const event of ['connect', 'upgrade'] as const)
    server.on(event, (_, socket) => {
      socket.on('error', () => socket.destroy());
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    });
  return server;
}

/**
 * Listens on both loopback addresses under one port; on one where the machine has only that. `headers` go with answers
 * that `onRequest` does not see. Rejects with the listen error.
 */
export async function listenOnLoopback(
  onRequest: OnRequest,
  headers: OutgoingHttpHeaders,
  wanted: number,
): Promise<{ list: Server[]; port: number }> {
  const make = () => makeServer(onRequest, headers);
  for (let attempt = 1; ; attempt++) {
    const first = make();
    const port = await tcpListen(first, '127.0.0.1', wanted);
    const second = make();
    try {
      await tcpListen(second, '::1', port);
      return { list: [first, second], port };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return { list: [first], port };
      await closeServer(first);
      if (code !== 'EADDRINUSE' || wanted !== 0 || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Accepts no new requests, and destroys the connections that do not end soon. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}
