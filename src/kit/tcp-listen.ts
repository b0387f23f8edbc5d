import type { AddressInfo, Server } from 'node:net';

/** Starts listening and returns the port. Rejects with the listen error (EADDRINUSE, EACCES, …). */
export async function tcpListen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
