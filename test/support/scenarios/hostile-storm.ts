import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Served } from '../process/served.ts';
import type { Report, StormOrder } from './hostile-clients.ts';
import type { Target } from './hostile-requests.ts';

export interface StormFigures {
  hostile: number;
  /** Descriptions of the answers other than the expected error. */
  faults: string[];
  decisions: number;
  /** Latency of a decision from its scheduled time, in ms. */
  p50: number;
  p99: number;
  worst: number;
  slowSockets: number;
  /** Number of slow sockets that got the error for a timeout. */
  timedOut: number;
  /** Memory before, and the maximum during the storm, in MB. */
  memoryBefore: number;
  memoryMax: number;
}

const DECISIONS_PER_SECOND = 25;
const HOSTILE_CLIENTS = 8;
const ROOT = process.cwd();

/** Runs all hostile requests concurrently, with slow sockets and one ordinary client that requests decisions. */
export async function storm(
  served: Served,
  seconds: number,
  slowSockets = 500,
  hostileClients = HOSTILE_CLIENTS,
): Promise<StormFigures> {
  const target: Target = served;
  // Warm up, so that the measurement shows only the effect of the storm.
  for (let i = 0; i < 300; i++) await decide(served, i);
  const events = Array.from({ length: 1000 }, (_, i) => ({
    userId: `u${i}`,
    event: 'opened',
    timestamp: '2026-01-01T00:00:00Z',
    properties: { screen: 'home', amount: i },
  }));
  for (let i = 0; i < 100; i++) await served.send('/v1/events', { events });
  const memoryBefore = memoryOf(served.pid);
  let memoryMax = memoryBefore;
  const slow = Array.from({ length: slowSockets }, (_, i) => new SlowSocket(target, i));
  const faults: string[] = [];
  const watching = setInterval(() => {
    memoryMax = Math.max(memoryMax, memoryOf(served.pid));
  }, 50);
  const hostile =
    hostileClients > 0 ? hostileProcess({ target, seconds, clients: hostileClients }) : undefined;
  await hostile?.ready;
  const end = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  const requestDecisions = async () => {
    const pending: Promise<void>[] = [];
    const start = performance.now();
    for (let i = 0; performance.now() < end; i++) {
      const due = start + (i * 1000) / DECISIONS_PER_SECOND;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      pending.push(
        decide(served, i).then((status) => {
          latencies.push(performance.now() - due);
          if (status !== 200) faults.push(`decide: ${status}`);
        }),
      );
    }
    await Promise.all(pending);
  };
  const [report] = await Promise.all([hostile?.report, requestDecisions()]);
  faults.push(...(report?.faults ?? []));
  clearInterval(watching);
  for (const socket of slow) socket.end();
  latencies.sort((a, b) => a - b);
  const at = (q: number) => Math.round(latencies[Math.floor((latencies.length - 1) * q)]! * 10) / 10;
  return {
    hostile: report?.hostile ?? 0,
    faults: faults.slice(0, 20),
    decisions: latencies.length,
    p50: at(0.5),
    p99: at(0.99),
    worst: at(1),
    slowSockets,
    timedOut: slow.filter((socket) => socket.timedOut).length,
    memoryBefore,
    memoryMax,
  };
}

/** Starts the hostile clients in a separate process, so that they do not delay the measuring process. */
function hostileProcess(order: StormOrder): { ready: Promise<void>; report: Promise<Report> } {
  const script = [join(ROOT, 'scripts/run.js'), join(ROOT, 'test/support/scenarios/hostile-clients.ts')];
  const child = spawn(process.execPath, [...script, JSON.stringify(order)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let started: () => void;
  const ready = new Promise<void>((resolve) => {
    started = resolve;
  });
  child.stdout.on('data', (chunk) => {
    text += chunk;
    if (text.includes('\n')) started();
  });
  const report = new Promise<Report>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      started();
      try {
        resolve(JSON.parse(text.split('\n')[1] ?? ''));
      } catch (error) {
        reject(error);
      }
    });
  });
  return { ready, report };
}

async function decide(served: Served, i: number): Promise<number> {
  const body = { hashId: `user-${i % 50}`, context: { channel: 'in-app', surface: 'home' } };
  return (await served.send('/v1/decisioning/decide', body))?.status ?? 0;
}

/** A client that sends one byte per second of its headers or its body, or that never reads its answers. */
class SlowSocket {
  timedOut = false;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;

  constructor({ port, apiKey, workspace }: Target, number: number) {
    const kind = number % 3;
    const head =
      `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
      `x-service-workspace: ${workspace}\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n`;
    this.#socket = connect({ port, host: '127.0.0.1' });
    this.#socket.on('error', () => {});
    this.#socket.on('data', (data) => {
      this.timedOut ||= /came too slowly/.test(String(data));
    });
    if (kind === 1) this.#socket.write(`${head}\r\n`);
    if (kind === 2) {
      this.#socket.pause();
      const get = head.replace('POST /v1/events', 'GET /v1/webhooks').replace('content-length: 5000\r\n', '');
      this.#socket.write(`${get}\r\n`.repeat(50));
    }
    let sent = 0;
    this.#timer = setInterval(() => {
      if (kind === 0) this.#socket.write(head[sent++ % head.length]!);
      if (kind === 1) this.#socket.write(' ');
    }, 1000);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}

/** Resident memory of a process, in MB. */
function memoryOf(pid: number): number {
  const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}
