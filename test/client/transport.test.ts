import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { startStandIn } from '../support/peers/stand-in.ts';

const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };

/** Starts a TCP server that runs `act` on each connection once it has received data. */
async function misbehave(
  act: (socket: Socket, count: number) => void,
): Promise<{ url: string; connections: () => number }> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => act(socket, ++count));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, connections: () => count };
}

function client(baseUrl: string, options: Partial<Parameters<typeof createClient>[0]> = {}) {
  const made = createClient({
    baseUrl,
    workspace: 'ws_stand_in',
    apiKey: 'sk_stand_in_0123456789abcdef',
    idempotent: false,
    timeoutMs: 2000,
    maxRetries: 0,
    clock: { now: () => systemClock.now(), sleep: async () => {} },
    random: () => 0,
    userAgent: 'svc/test',
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

const ok = 'HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}';

describe('the client', () => {
  it('sends the headers and body of the specification', async () => {
    const standIn = await startStandIn();
    await client(standIn.url).call('ingestEvents', { body: { events: [event] } });
    await client(standIn.url).call('decide', { body: { hashId: 'h', context: { surface: 'home' } } });
    expect(standIn.requests.map((request) => request.body)).toEqual([
      { events: [event] },
      { hashId: 'h', context: { surface: 'home' } },
    ]);
  });

  it.each([
    ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', undefined],
    ['a body that is not JSON', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', undefined],
    ['unknown fields', 'HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{"new":1}', { new: 1 }],
  ])('accepts any 2xx with %s', async (_, answer, body) => {
    const server = await misbehave((socket) => socket.end(answer));
    expect((await client(server.url).call('ingestEvents', { body: { events: [event] } })).body).toEqual(body);
  });

  it('distinguishes a failed connection from a lost response', async () => {
    const lost = await misbehave((socket) => socket.destroy());
    await expect(client(lost.url).call('decide', { body: { hashId: 'h' } })).rejects.toMatchObject({
      name: 'TransportError',
      reason: 'lost',
      sent: true,
    });
    await expect(
      client('http://127.0.0.1:1').call('decide', { body: { hashId: 'h' } }),
    ).rejects.toMatchObject({ reason: 'unreachable', sent: false });
  });

  it.each([
    ['closes the connection during the TLS handshake', (socket: Socket) => socket.destroy()],
    ['does not speak TLS', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('sent nothing to a server that %s', async (_, act) => {
    const { url } = await misbehave(act);
    await expect(
      client(url.replace('http:', 'https:')).call('decide', { body: { hashId: 'h' } }),
    ).rejects.toMatchObject({ reason: 'unreachable', sent: false });
  });

  it('retries events after a lost response under one key, a decision only if keys are supported', async () => {
    const requests: string[] = [];
    const server = await misbehave((socket) => socket.destroy());
    const flaky = (count: number) => (count % 2 === 1 ? 'cut' : undefined);
    const standIn = await startStandIn({
      answer: ({ headers }, count) => {
        requests.push(String(headers['idempotency-key']));
        return flaky(count);
      },
    });
    await client(standIn.url, { maxRetries: 5 }).call('ingestEvents', { body: { events: [event] } });
    expect(requests).toHaveLength(2);
    expect(requests[0]).toBe(requests[1]);
    await expect(
      client(server.url, { maxRetries: 5 }).call('decide', { body: { hashId: 'h' } }),
    ).rejects.toMatchObject({ sent: true });
    expect(server.connections()).toBe(1);
    await client(standIn.url, { maxRetries: 5, idempotent: true }).call('decide', {
      body: { hashId: 'h' },
    });
    expect(requests).toHaveLength(4);
  });

  it('does not follow redirects, so that the key is sent nowhere else', async () => {
    const elsewhere = await misbehave((socket) => socket.end(ok));
    const server = await misbehave((socket) =>
      socket.end(
        `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${elsewhere.url}/v1/events\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
    await expect(
      client(server.url).call('ingestEvents', { body: { events: [event] } }),
    ).rejects.toMatchObject({ name: 'ApiError', status: 307 });
    expect(elsewhere.connections()).toBe(0);
  });

  it.each([
    ['sends nothing', (_: Socket) => {}, { reason: 'timeout' }],
    [
      'sends half a body and then nothing',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'),
      { reason: 'timeout' },
    ],
    [
      'closes the connection within the body',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'),
      { reason: 'lost' },
    ],
    ['does not speak HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), { reason: 'answer' }],
    [
      'sends a header of 64 KB',
      (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(65536)}\r\n\r\n`),
      { reason: 'answer' },
    ],
  ])('fails on a server that %s', async (_, act, error) => {
    const server = await misbehave(act);
    await expect(
      client(server.url, { timeoutMs: error.reason === 'timeout' ? 300 : 15_000 }).call('decide', {
        body: { hashId: 'h' },
      }),
    ).rejects.toMatchObject({ name: 'TransportError', ...error });
  });

  it('stops reading an endless body', async () => {
    const server = await misbehave((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
      const pump = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', pump);
      pump();
    });
    await expect(
      client(server.url, { timeoutMs: 20_000 }).call('decide', { body: { hashId: 'h' } }),
    ).rejects.toMatchObject({ reason: 'answer' });
  });

  it('masks the key, secrets and personal fields in its debug lines', async () => {
    const standIn = await startStandIn({ answer: () => ({ status: 200, body: { users: [] } }) });
    const lines: string[] = [];
    const body = {
      users: [{ userId: 'u', name: 'Ada Canary', phone: '+4915112345', accountNumber: 'DE99' }],
    };
    await client(standIn.url, { debug: (line) => lines.push(line) }).call('ingestUsers', { body });
    const text = lines.join('\n');
    expect(text).toMatch(/> POST \/v1\/users/);
    for (const secret of ['sk_stand_in', 'Ada Canary', '+4915112345', 'DE99'])
      expect(text).not.toContain(secret);
  });
});
