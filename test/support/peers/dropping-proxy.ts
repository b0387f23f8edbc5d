import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DroppingProxy {
  readonly url: string;
  /** The idempotency key of each request that reached the service, in order. */
  readonly keys: string[];
  /** Answers that were thrown away with their connection. */
  readonly dropped: () => number;
  close(): Promise<void>;
}

/**
 * A TCP proxy that passes requests on and now and then throws an answer away and tears the connection: the service has
 * committed, and the client cannot know. `delayMs` makes a request last.
 */
export async function droppingProxy(
  target: string,
  { share, delayMs, random }: { share: number; delayMs: number; random: () => number },
): Promise<DroppingProxy> {
  const { hostname, port } = new URL(target);
  const keys: string[] = [];
  const sockets = new Set<Socket>();
  let dropped = 0;
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    }
    const tear = () => {
      client.destroy();
      service.destroy();
    };
    client.on('data', (chunk) => {
      const key = /\r\nidempotency-key: ([^\r]+)\r\n/i.exec(chunk.toString('latin1'))?.[1];
      if (key) keys.push(key);
      service.write(chunk);
    });
    service.on('data', (chunk) => {
      setTimeout(() => {
        if (random() < share) {
          dropped++;
          tear();
        } else client.write(chunk);
      }, random() * delayMs);
    });
    client.on('close', tear);
    service.on('close', tear);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    dropped: () => dropped,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
