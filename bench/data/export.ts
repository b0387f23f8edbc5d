/**
 * Exports EVENTS events (default 1 million) from SQLite into a file of each format, and into Parquet through the API of a
 * service in this process. Prints rows/s, the CPU of this process and the size of each file, and the largest memory of the
 * process. `npm run bench -- bench/data/export.ts [EVENTS]`.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../src/service/start.ts';
import { runSvc } from '../../test/support/process/run-svc.ts';

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

async function timed(name: string, format: string, words: readonly string[], env: Record<string, string>) {
  const file = join(dir, `${name.replaceAll(' ', '-')}.${format}`);
  const start = performance.now();
  const before = process.cpuUsage();
  const run = await runSvc(['data', 'export', '--type', 'events', '--output', file, ...words], {
    home: dir,
    env,
  });
  if (run.code !== 0) throw new Error(run.stderr);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${name}: ${events.toLocaleString('en-US')} events in ${seconds.toFixed(1)} s, ${Math.round(events / seconds).toLocaleString('en-US')} rows/s, ${((user + system) / events).toFixed(1)} µs of CPU a row, ${(statSync(file).size / 1e6).toFixed(0)} MB`,
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
  console.log(`largest memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
} finally {
  await service.close();
  rmSync(dir, { recursive: true, force: true });
}
