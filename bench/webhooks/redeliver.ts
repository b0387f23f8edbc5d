/**
 * Measures how fast failed deliveries are sent again to a healthy handler, and how late another subscription gets new ones.
 * `npm run bench bench/webhooks/redeliver.ts [FAILED] [PER_SECOND]`
 *
 * The service is a separate process on a fresh SQLite file, into which the failed deliveries are written before it starts.
 * Both handlers and the load run in this process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { systemClock } from '../../src/kit/clock.ts';
import { connectStore } from '../../src/service/platform/open.ts';
import { queueDeliveries } from '../../src/service/webhooks/store/delivery-rows.ts';
import { cpuOf } from '../support/cpu-of.ts';
import { type Served, serve } from '../support/serve.ts';

const failed = Number(process.argv[2] ?? 100_000);
const perSecond = Number(process.argv[3] ?? 20);
const KIND = 'campaign.clicked';

const folder = mkdtempSync(join(tmpdir(), 'redeliver-'));
const database = join(folder, 'service.db');
const servers: ReturnType<typeof createServer>[] = [];
const children: Served['child'][] = [];
const dispatcher = new Agent({ connections: 16 });
try {
  await run();
} finally {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await dispatcher.destroy();
  rmSync(folder, { recursive: true, force: true });
}

async function start(): Promise<Served> {
  const served = await serve({ database, home: folder, flags: ['--allow-loopback-webhooks'] });
  children.push(served.child);
  return served;
}

async function run(): Promise<void> {
  let received = 0;
  const latencies: number[] = [];
  const reported = new Map<string, number>();
  const target = await handler(() => {
    received += 1;
  });
  const other = await handler((body) => {
    const at = reported.get((JSON.parse(body) as { decisionId: string }).decisionId);
    if (at !== undefined) latencies.push(performance.now() - at);
  });
  const first = await start();
  let url = first.url;
  const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await request(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      dispatcher,
      headers: first.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const subscribe = async (to: string) => {
    const body = { url: to, events: [KIND], signingSecret: 'a secret for the measurement' };
    return String((await call('/v1/webhooks', body)).id);
  };
  const webhookId = await subscribe(target);
  await first.stop();
  await store(first.workspace, webhookId);

  const { pid, url: again } = await start();
  url = again;
  await subscribe(other);
  const since = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const cpuBefore = cpuOf(pid);
  const reports: Promise<void>[] = [];
  const started = performance.now();
  await call(`/v1/webhooks/${webhookId}/redelivery`, { since });
  for (let i = 0; received < failed; i++) {
    const wait = started + (i * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((later) => setTimeout(later, wait));
    reports.push(
      call('/v1/decisioning/decide', { hashId: `user-${i}` }).then(async ({ decisionId }) => {
        reported.set(String(decisionId), performance.now());
        await call(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
      }),
    );
  }
  const seconds = (performance.now() - started) / 1000;
  const cpu = (cpuOf(pid) - cpuBefore) * 1000;
  await Promise.all(reports);
  latencies.sort((a, b) => a - b);
  const at = (part: number) =>
    Math.round(latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0);
  console.log(
    JSON.stringify({
      failed,
      perSecond: Math.round(failed / seconds),
      cpuMsPerDelivery: Math.round((cpu / failed) * 1000) / 1000,
      others: latencies.length,
      othersP50Ms: at(0.5),
      othersP99Ms: at(0.99),
    }),
  );
}

/** Stores failed deliveries of a subscription. */
async function store(workspaceId: string, webhookId: string): Promise<void> {
  const open = await connectStore(database, systemClock);
  const start = Date.now() - 3_600_000;
  for (let i = 0; i < failed; i += 1000)
    await open.write(async (tx) => {
      const queued = Array.from({ length: Math.min(1000, failed - i) }, (_, j) => ({
        webhookId,
        occurrence: {
          id: `out_${i + j}`,
          kind: KIND,
          decisionId: `dec_${i + j}`,
          contentId: 'summer_sale',
          hashId: 'a'.repeat(64),
          occurredAt: start + i + j,
        },
      }));
      await queueDeliveries(tx, workspaceId, queued);
      await tx.sql.run(
        "UPDATE delivery SET status = 'failed', due_at = NULL WHERE workspace_id = ? AND due_at IS NOT NULL",
        [workspaceId],
      );
    });
  await open.close();
}

async function handler(receive: (body: string) => void): Promise<string> {
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      receive(body);
      response.writeHead(204).end();
    });
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
