import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface RawServer {
  readonly url: string;
  readonly port: number;
  /** All accepted connections. */
  readonly connections: Socket[];
  /** Bytes written by `flood`. */
  readonly sent: () => number;
  /** Resolves when all accepted connections are closed. */
  closed(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a TCP server on a free port of 127.0.0.1. `answer` is called with the bytes of each request. */
export async function startRawServer(
  answer: (socket: Socket, flood: (text: string) => void, request: string) => void,
): Promise<RawServer> {
  let sent = 0;
  const connections: Socket[] = [];
  const ended: Promise<void>[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    connections.push(socket);
    ended.push(new Promise((resolve) => socket.once('close', () => resolve())));
    socket.on('error', () => {});
    const flood = (text: string) => {
      const block = text.repeat(Math.ceil(65_536 / text.length));
      const more = () => {
        while (!socket.destroyed) {
          sent += block.length;
          if (!socket.write(block)) return void socket.once('drain', more);
        }
      };
      more();
    };
    socket.on('data', (data) => answer(socket, flood, data.toString('latin1')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    connections,
    sent: () => sent,
    closed: async () => void (await Promise.all(ended)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  };
}
