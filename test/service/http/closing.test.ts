import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { httpTransport } from '../../../src/client/transport.ts';
import { listen } from '../../../src/service/http/server.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../support/peers/certificate.ts';
import { startTestService } from '../../support/process/service.ts';

/** Far longer than a test may take: what waits for it fails. */
const GRACE_MS = 600_000;

test.each(['/v1/events/stream', '/v1/events/watch'])(
  'closes soon after a client has cancelled two streams of %s',
  async (path) => {
    const service = await startTestService();
    const { open, close } = httpTransport(service.url);
    const headers = { authorization: `Bearer ${service.apiKey}`, 'x-service-workspace': service.workspace };
    for (let i = 0; i < 2; i++) {
      const { body } = await open({ method: 'GET', path, headers, repeatable: false });
      for await (const _ of body) break;
    }
    await service.close(GRACE_MS);
    await close();
  },
);

const PAIR = { cert: Buffer.from(CERTIFICATE), key: Buffer.from(CERTIFICATE_KEY) };

test.each([false, true])(
  'closes connections without a request, and answers a request that has begun (TLS: %s)',
  async (secure) => {
    const server = await listen(
      () => new Response('answered'),
      '127.0.0.1',
      0,
      undefined,
      undefined,
      secure ? PAIR : undefined,
    );
    const open = async (): Promise<Socket> => {
      const socket = secure
        ? connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false })
        : connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, secure ? 'secureConnect' : 'connect');
      return socket;
    };
    const answerOf = async (socket: Socket): Promise<string> => {
      let text = '';
      for await (const data of socket) text += data;
      return text;
    };
    const silent = await open();
    const begun = await open();
    begun.write('GET / HTTP/1.1\r\nhost: x\r\n');
    // Once this later request is answered, the service has read the beginning of the other one.
    const later = await open();
    later.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(await answerOf(later)).toMatch(/answered$/);
    const closed = server.close(GRACE_MS);
    silent.resume();
    await once(silent, 'close');
    begun.write('connection: close\r\n\r\n');
    expect(await answerOf(begun)).toMatch(/answered$/);
    await closed;
  },
);
