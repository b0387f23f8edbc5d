import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
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

async function connected(port: number, secure: boolean): Promise<Socket> {
  const socket = secure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, secure ? 'secureConnect' : 'connect');
  return socket;
}

async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const data of socket) text += data;
  return text;
}

const PAIR = { cert: CERTIFICATE, key: CERTIFICATE_KEY };

/** A server that answers each request at once. */
const listening = (secure: boolean) =>
  listen(() => new Response('answered'), '127.0.0.1', 0, undefined, undefined, secure ? PAIR : undefined);

test.each([false, true])(
  'closes connections without a request, and answers a request that has begun (TLS: %s)',
  async (secure) => {
    const server = await listening(secure);
    const open = () => connected(server.port, secure);
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

test.each([false, true])(
  'answers a request that is on its way on an idle connection, and ends that (TLS: %s)',
  async (secure) => {
    const server = await listening(secure);
    const socket = await connected(server.port, secure);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'readable');
    expect(String(socket.read())).toMatch(/keep-alive.*answered$/s);
    // However slow this machine is, the connection was in use a moment ago.
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const closed = server.close(GRACE_MS);
    expect(await answerOf(socket)).toMatch(/connection: close.*answered$/is);
    await closed;
  },
);

test('ends a connection with the answer to a request that has begun', async () => {
  let answer = (_: Response) => {};
  let begun = () => {};
  const begins = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const server = await listen(
    () => {
      begun();
      return new Promise<Response>((resolve) => {
        answer = resolve;
      });
    },
    '127.0.0.1',
    0,
  );
  const socket = await connected(server.port, false);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await begins;
  const closed = server.close(GRACE_MS);
  answer(new Response('answered'));
  expect(await answerOf(socket)).toMatch(/connection: close.*answered$/is);
  await closed;
});
