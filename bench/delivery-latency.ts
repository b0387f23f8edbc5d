/**
 * Measures the latency from an outcome to its delivery to good subscribers while others hang.
 * `npm run bench bench/delivery-latency.ts [SECONDS] [PER_SECOND]`
 *
 * The service is a separate process on a fresh SQLite file (`synchronous=FULL`). Three good receivers, five that never
 * respond, and the load run in this process. The clock starts before the request that reports the outcome is written.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { type Served, serve } from './support/serve.ts';

const seconds = Number(process.argv[2] ?? 20);
const perSecond = Number(process.argv[3] ?? 100);
const GOOD = 3;
const HANGING = 5;

const folder = mkdtempSync(join(tmpdir(), 'delivery-latency-'));
const service = await serve({
  database: join(folder, 'service.db'),
  home: folder,
  flags: ['--allow-loopback-webhooks'],
});
const servers: Server[] = [];
try {
  await run(service);
} finally {
  service.child.kill('SIGKILL');
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
}

async function run({ url, headers }: Served): Promise<void> {
  const dispatcher = new Agent({ connections: 32 });
  const call = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await request(url + path, {
      method: 'POST',
      dispatcher,
      headers,
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };

  const reported = new Map<string, number>();
  const latencies: number[] = [];
  const receipts = new Map<string, number>();
  const total = seconds * perSecond;
  const warmUp = perSecond;
  let awaited = 0;
  let allReceived = () => {};
  const done = new Promise<void>((resolve) => {
    allReceived = resolve;
  });
  const receive = (index: number, body: string) => {
    const now = performance.now();
    const { decisionId } = JSON.parse(body) as { decisionId: string };
    const key = `${index} ${decisionId}`;
    receipts.set(key, (receipts.get(key) ?? 0) + 1);
    if (receipts.get(key) !== 1) return;
    const at = reported.get(decisionId);
    if (at !== undefined) latencies.push(now - at);
    awaited += 1;
    if (awaited === (total + warmUp) * GOOD) allReceived();
  };
  const subscribe = async (answer: (body: string, end: () => void) => void) => {
    const port = await listen(answer);
    await call('/v1/webhooks', {
      url: `http://127.0.0.1:${port}/`,
      events: ['campaign.clicked'],
      signingSecret: 'a secret for the measurement',
    });
  };
  for (let i = 0; i < GOOD; i += 1)
    await subscribe((body, end) => {
      receive(i, body);
      end();
    });
  for (let i = 0; i < HANGING; i += 1) await subscribe(() => {});

  const decisions: string[] = [];
  while (decisions.length < total + warmUp) {
    const batch = await Promise.all(
      [...Array(Math.min(50, total + warmUp - decisions.length))].map((_, i) =>
        call('/v1/decisioning/decide', { hashId: `user-${decisions.length + i}` }),
      ),
    );
    decisions.push(...batch.map(({ decisionId }) => decisionId!));
  }

  const tap = (decisionId: string, counts: boolean) => {
    if (counts) reported.set(decisionId, performance.now());
    return call(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
  };
  const pending: Promise<unknown>[] = [];
  const start = performance.now();
  for (const [i, decisionId] of decisions.entries()) {
    // An open loop: a slow service does not slow the load down.
    const due = start + (i * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    pending.push(tap(decisionId, i >= warmUp));
  }
  await Promise.all(pending);
  await done;

  latencies.sort((a, b) => a - b);
  const at = (part: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))]!;
  const twice = [...receipts.values()].filter((count) => count > 1).length;
  console.log(
    JSON.stringify({
      outcomesPerSecond: perSecond,
      deliveries: latencies.length,
      goodEndpoints: GOOD,
      hangingEndpoints: HANGING,
      p50Ms: Math.round(at(0.5)),
      p95Ms: Math.round(at(0.95)),
      p99Ms: Math.round(at(0.99)),
      maxMs: Math.round(at(1)),
      receivedTwice: twice,
    }),
  );
  await dispatcher.destroy();
}

async function listen(answer: (body: string, end: () => void) => void): Promise<number> {
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => answer(body, () => response.writeHead(204).end()));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
