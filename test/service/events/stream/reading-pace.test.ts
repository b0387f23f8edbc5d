import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ReadingPace } from '../../../../src/service/events/stream/reading-pace.ts';
import { SendQueues } from '../../../../src/service/events/stream/send-queues.ts';
import { startTestService, type TestService } from '../../../support/process/service.ts';

const between = async () => {};

/** A request for the stream from its first event on, over a connection of its own that is read by hand. */
async function openStream(service: TestService) {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  await once(socket, 'connect');
  const headers = [
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${service.apiKey}`,
    `X-Service-Workspace: ${service.workspace}`,
    'Last-Event-ID: 0',
  ];
  socket.write(`GET /v1/events/stream HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  return socket;
}

it.skipIf(process.platform !== 'linux')(
  'sends a client that does not read the first message only, and everything to one that does',
  async () => {
    const service = await startTestService();
    const long = 'x'.repeat(10_000);
    const count = 400;
    for (let sent = 0; sent < count; sent += 100) {
      const events = Array.from({ length: 100 }, (_, i) => ({
        userId: `u${sent + i}`,
        event: 'e',
        timestamp: '2026-01-01T00:00:00Z',
        properties: { long },
      }));
      await service.fetch('/v1/events', { body: { events } });
    }
    const bytes = new Map<ReadingPace, number>();
    const { sent } = ReadingPace.prototype;
    const spy = vi.spyOn(ReadingPace.prototype, 'sent').mockImplementation(function (this: ReadingPace, n) {
      bytes.set(this, (bytes.get(this) ?? 0) + n);
      sent.call(this, n);
    });
    onTestFinished(() => spy.mockRestore());
    const unread = await openStream(service);
    await expect.poll(() => Math.max(0, ...bytes.values())).toBeGreaterThan(0);
    const read = await openStream(service);
    let text = '';
    read.on('data', (chunk) => {
      text += chunk;
    });
    read.resume();
    await expect.poll(() => text.includes(`"userId":"u${count - 1}"`)).toBe(true);
    const [ofUnread, ofRead] = [...bytes.values()];
    expect(ofRead).toBeGreaterThan(count * long.length);
    expect(ofUnread).toBeLessThan(1024);
    let rest = '';
    unread.on('data', (chunk) => {
      rest += chunk;
    });
    unread.resume();
    await expect.poll(() => rest.includes(`"userId":"u${count - 1}"`)).toBe(true);
    const users = [...rest.matchAll(/"userId":"u(\d+)"/g)].map(([, n]) => Number(n));
    expect(users).toEqual(Array.from({ length: count }, (_, n) => n));
  },
);

it('a client is waited for until it has taken what it was sent, or the stream ends', async () => {
  let sending = 60_000;
  const arrived = new Map([['C350 1F90', 40_000]]);
  const queues = new SendQueues(between, async () => ({
    sending: new Map([['1F90 C350', sending]]),
    arrived,
    took: 0,
  }));
  const here = '127.0.0.1';
  const socket = { localPort: 8080, remotePort: 50_000, localAddress: here, remoteAddress: here };
  let drained = false;
  const over = new AbortController();
  const waiting = queues.drained(socket, 50_000, over.signal).then(() => {
    drained = true;
  });
  const ending = new AbortController();
  const ended = queues.drained(socket, 0, ending.signal);
  // The client of another connection has taken everything.
  await queues.drained({ ...socket, remotePort: 50_001 }, 0, over.signal);
  // What arrived at a connection of this machine says nothing of a client elsewhere.
  await queues.drained({ ...socket, remoteAddress: '192.0.2.1' }, 60_000, over.signal);
  expect(drained).toBe(false);
  sending = 10_000;
  await waiting;
  ending.abort();
  await ended;
});

it('a client that takes what it is sent does not wait for those that take nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sending = new Map([['1F90 C350', 60_000]]);
  // The table is long, so that it is not looked at often.
  const queues = new SendQueues(between, async () => ({ sending, arrived: new Map(), took: 8 }));
  const socket = { localPort: 8080, remotePort: 50_000, localAddress: 'a', remoteAddress: 'b' };
  const over = new AbortController();
  void queues.drained(socket, 0, over.signal);
  await vi.advanceTimersByTimeAsync(5000);
  for (let sent = 0; sent < 5; sent++) {
    sending.set('1F90 C351', 100);
    let drained = false;
    void queues.drained({ ...socket, remotePort: 50_001 }, 0, over.signal).then(() => {
      drained = true;
    });
    await vi.advanceTimersByTimeAsync(170);
    for (const left of [60, 30, 0]) {
      expect(drained).toBe(false);
      sending.set('1F90 C351', left);
      await vi.advanceTimersByTimeAsync(170);
    }
    expect(drained).toBe(true);
  }
  over.abort();
});

it('nobody is waited for where the kernel does not say what its clients have taken', async () => {
  const queues = new SendQueues(between, async () => undefined);
  const socket = { localPort: 8080, remotePort: 50_000, localAddress: 'a', remoteAddress: 'b' };
  await queues.drained(socket, 0, new AbortController().signal);
});
