import { createServer } from 'node:http';
import { tcpListen } from '../../kit/tcp-listen.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';

export interface OperationsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves /metrics, /healthz and /readyz on a separate port. They need no key, so they should not be reachable by the
 * clients of the service. Rejects with the listen error.
 */
export async function listenForOperations(
  host: string,
  port: number,
  health: Pick<Health, 'answer'>,
  metrics: Pick<Metrics, 'text'>,
): Promise<OperationsServer> {
  const answer = async (path: string): Promise<{ status: number; type?: string; body: string }> => {
    if (path === '/healthz') return { status: 200, body: 'ok\n' };
    if (path === '/readyz') return health.answer();
    if (path !== '/metrics') return { status: 404, body: 'not found: use /metrics, /healthz or /readyz\n' };
    const { contentType, body } = await metrics.text();
    return { status: 200, type: contentType, body };
  };
  const server = createServer((request, response) => {
    request.resume();
    answer((request.url ?? '/').split('?')[0]!).then(
      ({ status, type = 'text/plain; charset=utf-8', body }) =>
        response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  return {
    port: await tcpListen(server, host, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
