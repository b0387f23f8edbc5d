/**
 * Measures what live event streams that nobody reads cost everybody: events a second that the service stores on SQLite,
 * without such streams and beside them, in turn, the processor time of the service for them, which other work on the
 * machine changes less than the rate, and its memory (resident set, Linux). Every stream is a connection that asks for
 * `GET /v1/events/stream` and never reads; one that the service ends is opened again. One more stream is read at once: by
 * how much the last event that it was sent is older than the time. RATE: at most so many events a second are sent, in all.
 * `npm run bench -- bench/unread-streams.ts [STREAMS] [SECONDS] [ROUNDS] [RATE]` after `npm run build`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'undici';
import { serve } from '../test/support/process/served.ts';
import { benchProgram } from './bench-program.ts';

const streams = Number(process.argv[2] ?? 1000);
const seconds = Number(process.argv[3] ?? 20);
const rounds = Number(process.argv[4] ?? 3);
const rate = Number(process.argv[5] ?? Number.POSITIVE_INFINITY);
/** Events of a request, and requests at a time. */
const BATCH = 500;
const SENDERS = 4;

const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const program = benchProgram();
const served = await serve(program, { home, database: join(home, 'streams.db') });
const url = new URL(served.url);
const headers = {
  authorization: `Bearer ${served.apiKey}`,
  'x-service-workspace': served.workspace,
  'content-type': 'application/json',
};
const body = JSON.stringify({
  events: Array.from({ length: BATCH }, (_, n) => ({
    userId: `user-${n}`,
    event: 'page_viewed',
    timestamp: '2026-01-01T12:00:00Z',
    properties: { page: `/products/${n}`, price: n / 100, member: n % 2 === 0, ref: 'mail' },
  })),
});

const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${served.pid}/status`, 'utf8'))![1]) / 1024;

/** Processor time that the service has taken, user and system, in seconds. Linux counts it in hundredths. */
function cpu(): number {
  const fields = readFileSync(`/proc/${served.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

interface Measured {
  /** Events stored a second. */
  readonly rate: number;
  /** Seconds of processor time of the service per million events. */
  readonly cost: number;
  /** Most memory seen, in MiB. */
  readonly peak: number;
  /** How far the stream that is read was behind, at most, in seconds. */
  readonly behind: number;
}

/** Reads a stream; `behind` is how far it is behind, at most, in seconds. */
function readStream(): { behind: () => number; close: () => void } {
  const socket = connect(Number(url.port), url.hostname);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: ${url.host}\r\n${lines.join('')}\r\n`);
  let last = Number.NaN;
  let behind = 0;
  const look = () => {
    if (!Number.isNaN(last)) behind = Math.max(behind, (Date.now() - last) / 1000);
  };
  socket.on('data', (chunk) => {
    const at = chunk.lastIndexOf('"receivedAt":"');
    if (at < 0) return;
    const time = Date.parse(chunk.toString('latin1', at + 14, at + 38));
    if (!Number.isNaN(time)) last = time;
  });
  const timer = setInterval(look, 100);
  return {
    behind: () => behind,
    close: () => {
      clearInterval(timer);
      socket.destroy();
    },
  };
}

/** Sends events for `ms`. */
async function ingest(ms: number): Promise<Measured> {
  const reader = readStream();
  const start = performance.now();
  const cpuBefore = cpu();
  let stored = 0;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 100);
  let sent = 0;
  const send = async () => {
    const client = new Client(url.origin);
    while (performance.now() - start < ms) {
      const early = (sent * 1000) / rate - (performance.now() - start);
      sent += BATCH;
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const answer = await client.request({ method: 'POST', path: '/v1/events', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 202) throw new Error(`answered ${answer.statusCode}: ${text}`);
      stored += BATCH;
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  clearInterval(watch);
  const behind = reader.behind();
  reader.close();
  return {
    behind,
    rate: (stored * 1000) / (performance.now() - start),
    cost: ((cpu() - cpuBefore) * 1e6) / stored,
    peak,
  };
}

/** Opens the streams and keeps them open until `close` is called. */
async function openUnread(): Promise<{ reopened: () => number; close: () => void }> {
  const sockets = new Set<Socket>();
  let reopened = 0;
  let closed = false;
  const open = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(url.port), url.hostname);
      sockets.add(socket);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: ${url.host}\r\n${lines.join('')}\r\n`, () =>
        resolve(),
      );
      socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (closed) return;
        reopened++;
        setTimeout(() => void (closed || open()), 1000);
      });
    });
  for (let n = 0; n < streams; n += 100)
    await Promise.all(Array.from({ length: Math.min(100, streams - n) }, open));
  return {
    reopened: () => reopened,
    close: () => {
      closed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

const show = ({ rate, cost, peak, behind }: Measured) =>
  `${Math.round(rate)} events/s, ${cost.toFixed(1)} s of processor time per million, at most ${Math.round(peak)} MB, ` +
  `a reader ${behind.toFixed(1)} s behind`;
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!.toFixed(2);

try {
  await ingest(5000);
  const rates: number[] = [];
  const costs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await ingest(seconds * 1000);
    const unread = await openUnread();
    // The service takes the connections, which costs it about a second once.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const beside = await ingest(seconds * 1000);
    unread.close();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    rates.push(beside.rate / alone.rate);
    costs.push(beside.cost / alone.cost);
    console.log(
      `alone ${show(alone)}; beside ${streams} unread streams ${show(beside)}; rate ${rates.at(-1)!.toFixed(2)}, ` +
        `processor time ${costs.at(-1)!.toFixed(2)}, reopened ${unread.reopened()}`,
    );
  }
  console.log(`median rate ${median(rates)}, processor time ${median(costs)}`);
  await served.stop();
} finally {
  program.release();
  rmSync(home, { recursive: true, force: true });
}
