import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedAgent } from '../../../../src/service/platform/egress/guarded-agent.ts';
import { post } from '../../../../src/service/platform/egress/post.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../support/peers/certificate.ts';
import { startRawServer } from '../../../support/peers/raw-server.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
/** Bytes that system buffers may hold in addition to those read. */
const ON_THE_WAY = 32 * 1024 * 1024;

function sender() {
  const dispatcher = guardedAgent({ allowLoopback: true, connectTimeoutMs: 20_000 });
  onTestFinished(() => dispatcher.destroy());
  const options = { dispatcher, deadlineMs: 20_000, now: Date.now };
  return (url: string) => post(url, Buffer.from('{}'), {}, options);
}

async function server(...args: Parameters<typeof startRawServer>) {
  const started = await startRawServer(...args);
  onTestFinished(() => started.close());
  return started;
}

/** Writes each byte separately, as far as the system allows. */
function drip(socket: Socket, text: string): void {
  const next = () => {
    if (socket.destroyed) return;
    socket.write(text);
    setImmediate(next);
  };
  next();
}

describe('a receiver with an endless answer', () => {
  it.each([
    ['informational answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', /8 informational/],
    [
      'informational answers with headers',
      '',
      `HTTP/1.1 102 Processing\r\nx: ${'y'.repeat(8000)}\r\n\r\n`,
      /8 info/,
    ],
    ['empty lines before it', '', '\r\n', /256 KiB/],
    ['a status text', 'HTTP/1.1 200 ', 'very ', /256 KiB/],
    ['one header', `${OK}x: `, 'y'.repeat(1000), /overflow/i],
    ['headers', OK, 'x: y\r\n', /overflow/i],
    ['a chunk extension', `${CHUNKED}5;`, 'x=y;', null],
    ['trailers', `${CHUNKED}0\r\n`, 'x: y\r\n', /overflow/i],
    ['chunks of one byte', CHUNKED, '1\r\nx\r\n', null],
    ['a body', `${OK}content-length: 99999999999999\r\n\r\n`, 'x'.repeat(1000), null],
  ])('of %s is disconnected early', async (_, start, endless, words) => {
    const target = await server((socket, flood) => {
      socket.write(start);
      flood(endless);
    });
    const { status, error } = await sender()(target.url);
    await target.closed();
    // With a status the answer counts; its rest is not awaited.
    if (words === null) expect({ status, error }).toEqual({ status: 200, error: null });
    else expect({ status, error }).toEqual({ status: null, error: expect.stringMatching(words) });
    expect(target.sent()).toBeLessThan(ON_THE_WAY);
  });

  it.each([
    ['informational answers', 'HTTP/1.1 103\r\n\r\n', ''],
    ['a header', 'x', `${OK}x: `],
    ['empty lines', '\n', ''],
  ])('that sends %s slowly is disconnected after a number of pieces', async (_, piece, start) => {
    const target = await server((socket) => {
      socket.write(start);
      drip(socket, piece);
    });
    const { status, error } = await sender()(target.url);
    expect(status).toBeNull();
    expect(error).toMatch(/1,024 pieces|8 informational/);
    await target.closed();
  });

  it('is disconnected if it sends more after a complete answer, and gets the next delivery on a new connection', async () => {
    const target = await server((socket, flood) => {
      socket.write(`${OK}content-length: 0\r\n\r\n`);
      if (target.connections.length === 1) setTimeout(() => flood('\r\n'), 20);
    });
    const send = sender();
    expect((await send(target.url)).status).toBe(200);
    await target.closed();
    expect(target.sent()).toBeLessThan(ON_THE_WAY);
    expect((await send(target.url)).status).toBe(200);
    expect(target.connections.length).toBe(2);
  });

  it('does not affect many complete answers on one connection', async () => {
    const target = await server((socket) =>
      socket.write(`${OK}content-length: 60000\r\n\r\n${'x'.repeat(60_000)}`),
    );
    const send = sender();
    for (let i = 0; i < 100; i++) expect((await send(target.url)).status).toBe(200);
    expect(target.connections.length).toBeLessThan(5);
  });
});

it('keeps error messages short and on one line', async () => {
  const dispatcher = guardedAgent({
    allowLoopback: true,
    connectTimeoutMs: 1000,
    resolve: (_name, _options, callback) =>
      callback(new Error(`no such\r\nname\u001b[2J\u202e ${'x'.repeat(100_000)}`), []),
  });
  onTestFinished(() => dispatcher.destroy());
  const options = { dispatcher, deadlineMs: 5000, now: Date.now };
  const { error } = await post('http://long.example.com/', Buffer.from('{}'), {}, options);
  expect(error).toMatch(/^no such name \[2J {2}x{1,290}…$/);
});

it('performs one TLS handshake per connection, also if the receiver requests more', async () => {
  let again = 0;
  let refused = false;
  const receiver = createServer(
    { key: CERTIFICATE_KEY, cert: CERTIFICATE, maxVersion: 'TLSv1.2' },
    (socket) => {
      // TLS 1.2 allows a server to request a handshake at any time.
      const ask = () =>
        socket.renegotiate({ requestCert: true, rejectUnauthorized: false }, (error) => {
          if (error || ++again === 5) socket.destroy();
          else ask();
        });
      socket.on('error', () => {
        refused = true;
      });
      socket.once('data', ask);
    },
  );
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const dispatcher = guardedAgent({
    allowLoopback: true,
    connectTimeoutMs: 5000,
    ca: CERTIFICATE,
    resolve: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  onTestFinished(async () => {
    await dispatcher.destroy();
    receiver.close();
  });
  const url = `https://hooks.test:${(receiver.address() as AddressInfo).port}/`;
  const { status } = await post(url, Buffer.from('{}'), {}, { dispatcher, deadlineMs: 5000, now: Date.now });
  expect({ status, again, refused }).toEqual({ status: null, again: 0, refused: true });
});
