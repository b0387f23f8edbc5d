import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: string[];
  readonly body: Buffer;
}

export interface Target {
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

/** Starts a handler that records the requests and answers with `respond`. */
export async function startTarget(
  respond: (request: Received, response: http.ServerResponse) => void = (_, response) => response.end('{}'),
  port = 0,
): Promise<Target> {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the sender disconnected
    }
    const one: Received = {
      method: request.method as string,
      path: request.url as string,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
    };
    received.push(one);
    respond(one, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
