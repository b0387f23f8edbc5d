/**
 * Measures how many outcomes a second a service takes while ten subscriptions get them.
 * `npm run bench bench/webhooks/report-outcomes.ts [OUTCOMES] [PROGRAM]`
 *
 * The service is a separate process on a fresh SQLite file; PROGRAM is its `bin/run.js`, so that two versions can be compared.
 * One receiver and the load, 16 requests at a time, run in this process. `cpuMs` is the processor time of the service.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { cpuOf } from '../support/cpu-of.ts';
import { serve } from '../support/serve.ts';

const outcomes = Number(process.argv[2] ?? 5000);
const program = process.argv[3];
const SUBSCRIPTIONS = 10;
const AT_ONCE = 16;

const folder = mkdtempSync(join(tmpdir(), 'report-outcomes-'));
const service = await serve({
  database: join(folder, 'service.db'),
  home: folder,
  flags: ['--allow-loopback-webhooks'],
  program,
});
let received = 0;
const server = createServer((incoming, response) => {
  incoming.resume().on('end', () => {
    received += 1;
    response.writeHead(204).end();
  });
});
try {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  await run();
} finally {
  service.child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const { url, headers, pid } = service;
  const dispatcher = new Agent({ connections: AT_ONCE });
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
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let i = 0; i < SUBSCRIPTIONS; i++)
    await call('/v1/webhooks', {
      url: target,
      events: ['campaign.clicked'],
      signingSecret: 'a secret for the measurement',
    });
  const decisions: string[] = [];
  await each(outcomes, async (i) => {
    decisions.push((await call('/v1/decisioning/decide', { hashId: `user-${i}` })).decisionId!);
  });

  const cpuBefore = cpuOf(pid);
  const started = performance.now();
  await each(outcomes, (i) => call(`/v1/messages/${decisions[i]}/outcomes`, { type: 'clicked' }));
  const reported = performance.now() - started;
  while (received < outcomes * SUBSCRIPTIONS) await new Promise((later) => setTimeout(later, 20));
  const delivered = performance.now() - started;
  console.log(
    JSON.stringify({
      outcomes,
      subscriptions: SUBSCRIPTIONS,
      reportedPerSecond: Math.round((outcomes / reported) * 1000),
      deliveriesPerSecond: Math.round(((outcomes * SUBSCRIPTIONS) / delivered) * 1000),
      cpuMsPerOutcome: Math.round(((cpuOf(pid) - cpuBefore) / outcomes) * 100_000) / 100,
    }),
  );
  await dispatcher.destroy();
}

async function each(count: number, job: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await job(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
