/**
 * Measures senders that share one workspace: eight of them, each with one request of 1,000 events at a time, into
 * `svc serve` on PostgreSQL without limits. Their batches get consecutive numbers, so this shows how long they wait for
 * each other. Prints events/s, CPU-seconds per million events of service and PostgreSQL, and how long a batch took; beside
 * it the same for senders that have a workspace each. `npm run bench -- bench/one-workspace.ts [SECONDS] [ROUNDS]` after
 * `npm run build`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { systemClock } from '../src/kit/clock.ts';
import { createWorkspaceRows } from '../src/service/admin/create-workspace.ts';
import { apiKeys } from '../src/service/http/access/api-keys.ts';
import { PostgresStore } from '../src/service/platform/store/postgres/store.ts';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';
import { cpuOf } from './support/cpu-of.ts';
import { type Served, serve } from './support/serve.ts';

const SENDERS = 8;
const BATCH = 1000;
const seconds = Number(process.argv[2] ?? 10);
const rounds = Number(process.argv[3] ?? 3);
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));

const body = JSON.stringify({
  events: Array.from({ length: BATCH }, (_, i) => ({
    userId: `user-${(i * 7919) % 100_000}`,
    event: 'product_viewed',
    timestamp: '2026-01-01T00:00:00.000Z',
    properties: { sku: `sku-${i}`, price: 12.5, category: 'shoes' },
  })),
});

interface Sender {
  readonly workspace: string;
  readonly apiKey: string;
}

/** Sends batches with a key until `until`. Returns the durations in ms. */
async function send(pool: Pool, { workspace, apiKey }: Sender, until: number): Promise<number[]> {
  const durations: number[] = [];
  while (performance.now() < until) {
    const began = performance.now();
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'x-service-workspace': workspace,
      'content-type': 'application/json',
      'idempotency-key': `${Math.random()}`,
    };
    const answer = await pool.request({ method: 'POST', path: '/v1/events', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 202) throw new Error(`answered ${answer.statusCode}: ${text}`);
    durations.push(performance.now() - began);
  }
  return durations;
}

const server = await startPostgres({ durable: true });
let served: Served | undefined;
try {
  const database = await createDatabase(server.admin);
  const ready = await serve({ database, home: dir });
  served = ready;
  const store = await PostgresStore.open(database, systemClock);
  const keys = Array.from({ length: SENDERS }, (_, i) => `sk_test_${i}`);
  for (const [i, key] of keys.entries())
    await store.write(async (tx) => {
      await createWorkspaceRows(tx, { id: `ws_bench${i}`, region: null, mode: 'test' });
      await apiKeys.add(tx, `ws_bench${i}`, key, 'test');
    });
  await store.close();
  const pool = new Pool(ready.url, { connections: SENDERS });
  const senders = {
    'one workspace': keys.map(() => ({ workspace: ready.workspace, apiKey: ready.apiKey })),
    'eight workspaces': keys.map((apiKey, i) => ({ workspace: `ws_bench${i}`, apiKey })),
  };
  for (let round = 0; round < rounds; round++)
    for (const [name, group] of Object.entries(senders)) {
      const pids = [ready.pid, server.pid()];
      const before = pids.map(cpuOf);
      const began = performance.now();
      const all = await Promise.all(group.map((sender) => send(pool, sender, began + seconds * 1000)));
      const elapsed = performance.now() - began;
      const durations = all.flat().sort((a, b) => a - b);
      const events = durations.length * BATCH;
      const [service, postgres] = pids.map((pid, i) => ((cpuOf(pid) - before[i]!) * 1e6) / events);
      const at = (share: number) => Math.round(durations[Math.floor(durations.length * share)]!);
      console.log(
        `${name.padEnd(17)} ${Math.round(events / (elapsed / 1000))
          .toLocaleString('en')
          .padStart(
            8,
          )} events/s   CPU-s per million: service ${service!.toFixed(1)}, PostgreSQL ${postgres!.toFixed(1)}   a batch: median ${at(0.5)} ms, 99 % ${at(0.99)} ms`,
      );
    }
  await pool.close();
} finally {
  served?.child.kill('SIGKILL');
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
