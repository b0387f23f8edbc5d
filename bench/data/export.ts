/**
 * Exports EVENTS events (default 1 million) from SQLite into a file of each format, and into Parquet through the API of a
 * service in this process. Prints rows/s, the CPU and the largest memory of each export, and the size of its file.
 * `npm run bench -- bench/data/export.ts [EVENTS]` after `npm run build`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../src/service/start.ts';

const events = Number(process.argv[2] ?? 1_000_000);
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const OFF = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };
const BATCH = 1000;

console.log(`${cpus().length} cores (${cpus()[0]!.model}), Node ${process.version}`);
const database = join(dir, 'source.db');
const service = await startService({ database, dataDir: dir, port: 0, limits: OFF });
for (let from = 0; from < events; from += BATCH) {
  const answer = await fetch(`${service.url}/v1/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      'x-service-workspace': service.workspace,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      events: Array.from({ length: Math.min(BATCH, events - from) }, (_, i) => ({
        userId: `user-${(from + i) % (events / 10)}`,
        event: ['page_viewed', 'order_completed', 'product_added'][i % 3],
        timestamp: new Date(1_700_000_000_000 + (from + i) * 1000).toISOString(),
        properties: { page: `/products/${from + i}`, price: ((from + i) % 1000) / 100, member: i % 2 === 0 },
      })),
    }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** Exports by the built program, in a process of its own, as a user does. */
async function timed(name: string, format: string, words: readonly string[], env: Record<string, string>) {
  const file = join(dir, `${name.replaceAll(' ', '-')}.${format}`);
  const start = performance.now();
  const child = spawn(
    '/usr/bin/time',
    [
      ...['-f', '%U %S %M', process.execPath, 'bin/run.js'],
      ...['data', 'export', '--type', 'events', '--output', file, ...words],
    ],
    { env: { PATH: process.env.PATH, HOME: dir, ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(errors);
  const seconds = (performance.now() - start) / 1000;
  const [user = 0, system = 0, kilobytes = 0] = errors.trim().split('\n').at(-1)!.split(' ').map(Number);
  console.log(
    `${name}: ${events.toLocaleString('en-US')} events in ${seconds.toFixed(1)} s, ${Math.round(events / seconds).toLocaleString('en-US')} rows/s, ${((1e6 * (user + system)) / events).toFixed(1)} µs of CPU a row, at most ${Math.round(kilobytes / 1024)} MB, a file of ${(statSync(file).size / 1e6).toFixed(0)} MB`,
  );
}

try {
  const local = ['--database', database];
  await timed('Parquet', 'parquet', local, {});
  await timed('CSV', 'csv', local, {});
  await timed('NDJSON', 'ndjson', local, {});
  await timed('Parquet through the API', 'parquet', [], {
    SVC_BASE_URL: service.url,
    SVC_WORKSPACE: service.workspace,
    SVC_API_KEY: service.apiKey!,
  });
  console.log(`source ${(statSync(database).size / 1e6).toFixed(0)} MB`);
} finally {
  await service.close();
  rmSync(dir, { recursive: true, force: true });
}
