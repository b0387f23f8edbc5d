import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/service/http/server.ts';

/** An endless stream, and whether it was cancelled. */
function endless() {
  const state = { cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => {
      state.cancelled = true;
    },
  });
  return { state, body };
}

test('a client that does not read is disconnected, and its answer is cancelled', async () => {
  const { state, body } = endless();
  const server = await listen(() => new Response(body), '127.0.0.1', 0, 200);
  onTestFinished(() => server.close(0));
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  while (!state.cancelled) await new Promise((resolve) => setTimeout(resolve, 20));
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
});

test('a client that reads slowly stays connected', async () => {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let i = 0; i < 10; i++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        controller.enqueue(new TextEncoder().encode(`${i}`));
      }
      controller.close();
    },
  });
  const server = await listen(() => new Response(body), '127.0.0.1', 0, 500);
  onTestFinished(() => server.close(0));
  const answer = await fetch(`http://127.0.0.1:${server.port}/`);
  expect(await answer.text()).toBe('0123456789');
});

/** Sends a request when the connection is a second old, and prints the answer. */
const LATE_CLIENT = `
const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => process.stdout.write('connected\\n'));
setTimeout(() => socket.write('GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n'), 1000);
socket.on('data', (data) => process.stdout.write(data)).on('close', () => process.exit());
`;

test('a request that arrived while the process stood still is answered or unavailable, never invalid', async () => {
  const server = await listen(() => new Response('answered'), '127.0.0.1', 0, 60_000, 500);
  onTestFinished(() => server.close(0));
  const client = spawn(process.execPath, ['-e', LATE_CLIENT, String(server.port)]);
  let text = '';
  client.stdout.on('data', (data) => {
    text += data;
  });
  const closed = once(client, 'close');
  await vi.waitFor(() => expect(text).toBe('connected\n'), 10_000);
  // The server accepts the connection, then stands still, as by SIGSTOP, while the request arrives.
  await new Promise((resolve) => setTimeout(resolve, 100));
  // From setImmediate, after which timers run before anything is read.
  await new Promise<void>((resolve) =>
    setImmediate(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3500);
      resolve();
    }),
  );
  await closed;
  expect(text).toMatch(/^connected\nHTTP\/1\.1 (200|503) /);
});
