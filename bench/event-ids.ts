/**
 * Measures durable ingestion with and without event ids, alternately in one run: `svc serve` without limits on SQLite and
 * on PostgreSQL, and a client that sends prepared batches of 1,000 events on 4 connections. Every counted event is committed
 * to disk. Then fills the table with IDS ids of earlier events (default 10 million), measures again, and sends stored ids
 * again. Prints events/s, CPU-seconds per million events of service and PostgreSQL, and their ratios to those without ids.
 * `npm run bench -- bench/event-ids.ts [IDS] [EVENTS] [ROUNDS] [sqlite|postgres]` after `npm run build`.
 */
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { systemClock } from '../src/kit/clock.ts';
import { mergeOnce } from '../src/service/events/id-merger.ts';
import { eventIds } from '../src/service/events/store/ids/event-ids.ts';
import { WORDS } from '../src/service/events/store/ids/sip-hash.ts';
import { PostgresStore } from '../src/service/platform/store/postgres/store.ts';
import { periodOf } from '../src/service/platform/store/retained-logs.ts';
import { SqliteStore } from '../src/service/platform/store/sqlite/store.ts';
import type { Store } from '../src/service/platform/store/store.ts';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';
import { cpuOf } from './support/cpu-of.ts';
import { type Served, serve } from './support/serve.ts';

const BATCH = 1000;
const CONNECTIONS = 4;
const KEPT_MS = 90 * 86_400_000;
const filled = Number(process.argv[2] ?? 10_000_000);
const count = Number(process.argv[3] ?? 200_000);
const rounds = Number(process.argv[4] ?? 5);
const only = process.argv[5];
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));

/** Bodies of `count` events; their ids begin with `ids`. */
function bodiesOf(ids: string | undefined): string[] {
  return Array.from({ length: count / BATCH }, (_, batch) =>
    JSON.stringify({
      events: Array.from({ length: BATCH }, (_, i) => {
        const n = batch * BATCH + i;
        return {
          ...(ids === undefined ? {} : { eventId: `${ids}-9b1d-4c62-8f0e-${String(n).padStart(12, '0')}` }),
          userId: `user-${n % 50_000}`,
          event: 'page_viewed',
          timestamp: '2026-01-15T12:30:00Z',
          properties: { page: `/products/${n}`, price: (n % 1000) / 100, member: n % 2 === 0, ref: 'mail' },
        };
      }),
    }),
  );
}

interface Measured {
  readonly rate: number;
  readonly cpu: number;
  readonly duplicates: number;
}

async function send(ready: Served, pids: readonly number[], bodies: readonly string[]): Promise<Measured> {
  const pool = new Pool(ready.url, { connections: CONNECTIONS });
  const before = pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  const start = performance.now();
  let next = 0;
  let duplicates = 0;
  const sender = async () => {
    while (next < bodies.length) {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/v1/events',
        headers: ready.headers,
        body: bodies[next++]!,
      });
      const answer = (await body.json()) as { accepted: number; duplicates?: number };
      if (statusCode !== 202 || answer.accepted !== BATCH) throw new Error(JSON.stringify(answer));
      duplicates += answer.duplicates ?? 0;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  const rate = (bodies.length * BATCH) / ((performance.now() - start) / 1000);
  await pool.close();
  const used = pids.reduce((sum, pid) => sum + cpuOf(pid), 0) - before;
  return { rate, cpu: (used * 1_000_000) / (bodies.length * BATCH), duplicates };
}

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
const rounded = (n: number) => Math.round(n).toLocaleString('en');

/** Prefixes of ids, each used once. */
let prefix = 0;
const newPrefix = () => (0x10000000 + prefix++).toString(16);

async function compare(name: string, ready: Served, pids: readonly number[]): Promise<void> {
  const plain: Measured[] = [];
  const ids: Measured[] = [];
  for (let round = 0; round <= rounds; round++) {
    const without = await send(ready, pids, bodiesOf(undefined));
    const withIds = await send(ready, pids, bodiesOf(newPrefix()));
    if (withIds.duplicates > 0) throw new Error(`${withIds.duplicates} new ids were taken for repeated ones`);
    // The first round warms up.
    if (round === 0) continue;
    plain.push(without);
    ids.push(withIds);
  }
  const rate = (of: readonly Measured[]) => median(of.map((each) => each.rate));
  const cpu = (of: readonly Measured[]) => median(of.map((each) => each.cpu));
  console.log(
    `${name}: without ids ${rounded(rate(plain))} events/s, ${cpu(plain).toFixed(1)} CPU-s per million; with ids ` +
      `${rounded(rate(ids))}, ${cpu(ids).toFixed(1)}; rate ${(rate(ids) / rate(plain)).toFixed(2)}, by CPU ${(cpu(plain) / cpu(ids)).toFixed(2)}`,
  );
}

/** Stores the ids of earlier events, as batches of ingest do, over the last 60 days. */
async function fill(store: Store, workspace: string): Promise<void> {
  const start = performance.now();
  const hashes = new Uint32Array(WORDS * BATCH);
  const merge = async () => {
    while (
      await mergeOnce(
        { store, precedence: { yieldToRequests: async () => {} } as never },
        workspace,
        periodOf(KEPT_MS),
      )
    );
  };
  for (let done = 0; done < filled; ) {
    await store.write(
      async (tx) => {
        const head = await tx.sql.get<{ number: number }>(
          'UPDATE event_head SET number = number + ? WHERE workspace_id = ? RETURNING number',
          [BATCH * 64, workspace],
        );
        for (let batch = 0; batch < 64 && done < filled; batch++, done += BATCH) {
          randomFillSync(hashes);
          const now = Math.floor(tx.now - 60 * 86_400_000 * (1 - done / filled));
          await eventIds.add({ ...tx, now }, workspace, Number(head!.number) - BATCH * (63 - batch), hashes);
        }
      },
      { durable: false },
    );
    await merge();
  }
  const runs = await store.read((tx) => eventIds.runs(tx, workspace));
  console.log(
    `${rounded(filled)} ids in ${runs.length} runs, filled in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
}

async function measure(
  name: string,
  database: string,
  open: () => Promise<Store>,
  others: readonly number[],
): Promise<void> {
  let ready = await serve({ database, home: dir });
  await compare(`${name}, few ids`, ready, [ready.pid, ...others]);
  await ready.stop();
  const store = await open();
  await fill(store, ready.workspace);
  await store.close();
  ready = await serve({ database, home: dir });
  const pids = [ready.pid, ...others];
  const bodies = bodiesOf(newPrefix());
  const start = performance.now();
  await send(ready, pids, bodies.slice(0, 1));
  console.log(
    `${name}: the first batch with ids after a start took ${Math.round(performance.now() - start)} ms`,
  );
  await send(ready, pids, bodies.slice(1));
  await compare(`${name}, ${rounded(filled)} ids`, ready, pids);
  const again = await send(ready, pids, bodies);
  console.log(
    `${name}: ${rounded(again.duplicates)} of ${rounded(count)} sent again were repeated, ${rounded(again.rate)} events/s`,
  );
  await ready.stop();
}

try {
  if (only !== 'postgres') {
    const file = join(dir, 'ids.db');
    await measure('SQLite', file, () => SqliteStore.open(file, systemClock), []);
  }
  if (only !== 'sqlite') {
    const server = await startPostgres({ durable: true });
    const url = await createDatabase(server.admin);
    await measure('PostgreSQL', url, () => PostgresStore.open(url, systemClock), [server.pid()]);
    await server.stop();
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
