import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  /** When the body was complete, Unix ms. */
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Resolves when `count` requests were received in total. */
  waitFor(count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** Answers a request; it may also leave it open or destroy the socket. */
export type Answer = (response: ServerResponse, got: Received, request: IncomingMessage) => void;

/** Starts a webhook receiver on a free port of 127.0.0.1 that records requests. Answers 204 by default. */
export async function startReceiver(
  answer: Answer = (response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const got: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks),
        at: Date.now(),
      };
      received.push(got);
      answer(response, got, request);
      for (const check of waiting) check();
    });
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    received,
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
