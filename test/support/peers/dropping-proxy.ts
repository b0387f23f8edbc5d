import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DroppingProxy {
  readonly url: string;
  /** The idempotency key of each request that reached the service, in order. */
  readonly keys: string[];
  /** Number of answers dropped together with their connection. */
  readonly dropped: () => number;
  close(): Promise<void>;
}

/**
 * Starts a TCP proxy that forwards requests and randomly drops answers together with their connection: the service has
 * committed, but the client cannot know. `delayMs` is the maximum delay of an answer.
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
    const disconnect = () => {
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
          disconnect();
        } else client.write(chunk);
      }, random() * delayMs);
    });
    client.on('close', disconnect);
    service.on('close', disconnect);
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
