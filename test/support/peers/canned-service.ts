import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CannedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Starts a service that answers with a function of the test and records requests. Closed with the test. */
export async function cannedService(
  answer: (request: CannedRequest) => {
    status?: number;
    headers?: Record<string, string>;
    body?: string;
  },
) {
  const requests: CannedRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      const { status = 200, headers = {}, body = '' } = answer(request);
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    env: { SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_WORKSPACE: 'ws_1', SVC_API_KEY: 'sk_test_canned' },
  };
}
