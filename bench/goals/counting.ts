/**
 * How many events a second the counter of goals gets through, on SQLite and PostgreSQL in process, with a goal on 1 % of the
 * events and on all of them; a fifth of the users have a decision: `npm run bench -- bench/goals/counting.ts [EVENTS] [sqlite|postgres]`
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../src/service/admin/create-workspace.ts';
import { toCatalog } from '../../src/service/catalog/catalog.ts';
import type { CatalogFile } from '../../src/service/catalog/schema.ts';
import { countStep } from '../../src/service/decisions/goals/count-step.ts';
import { decisions } from '../../src/service/decisions/store/decisions.ts';
import { readBatch } from '../../src/service/events/ingest/batch.ts';
import { events } from '../../src/service/events/store/events.ts';
import { hashId } from '../../src/service/platform/crypto/hash-id.ts';
import { connectStore, migrateStore } from '../../src/service/platform/open.ts';
import type { Store } from '../../src/service/platform/store/store.ts';
import { workspaces } from '../../src/service/platform/store/workspaces.ts';
import { createDatabase, startPostgres } from '../../test/support/postgres/postgres.ts';

const total = Number(process.argv[2] ?? 100_000);
const only = process.argv[3];
const USERS = 20_000;
const DECIDED = USERS / 5;
const BATCH = 500;
const WORKSPACE = 'ws_bench';
const catalog = toCatalog({
  contents: [],
  goals: [
    {
      goalId: 'order',
      event: 'order',
      within: '7d',
      value: { property: 'amount', to: 200 },
      negative: { event: 'refund', match: 'orderId' },
    },
  ],
  settings: { reward: { goal: 'order' } },
} as CatalogFile);

async function prepare(store: Store): Promise<void> {
  await store.write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'test' }));
  for (let from = 0; from < DECIDED; from += BATCH)
    await store.write(async (tx) => {
      const key = await workspaces.hashKey(tx, WORKSPACE);
      for (let user = from; user < from + BATCH; user++)
        await decisions.add(
          tx,
          WORKSPACE,
          {
            ...{ decisionId: `d${user}`, hashId: hashId(key, `u${user}`), context: { surface: 'home' } },
            ...{
              contentId: 'c',
              candidates: [],
              others: null,
              features: null,
              category: 'any',
              attributes: [],
            },
            ...{
              prior: 0.1,
              modelVersion: 0,
              seed: 's',
              policy: null,
              reason: null,
              explanation: null,
              removed: null,
            },
          },
          true,
        );
    });
  await store.write((tx) => countStep(tx, WORKSPACE, catalog));
}

async function measure(name: string, store: Store, share: number): Promise<void> {
  await prepare(store);
  const timestamp = new Date(Date.now() + 1000).toISOString();
  const began = performance.now();
  for (let from = 0; from < total; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i) => ({
      userId: `u${(7 * (from + i)) % USERS}`,
      event: (from + i) % 100 < 100 * share ? 'order' : 'page_viewed',
      timestamp,
      properties: { amount: i % 200, orderId: `o${from + i}`, path: '/a/page' },
    }));
    await store.write((tx) =>
      events.append(tx, WORKSPACE, readBatch(Buffer.from(JSON.stringify({ events: batch })))),
    );
  }
  const stored = performance.now();
  const cpu = process.cpuUsage();
  let steps = 0;
  for (let more = true; more; steps++)
    more = await store.write((tx) => countStep(tx, WORKSPACE, catalog), { durable: false });
  const took = performance.now() - stored;
  const { user, system } = process.cpuUsage(cpu);
  const rate = (ms: number) => Math.round(total / (ms / 1000)).toLocaleString('en');
  console.log(
    `${name.padEnd(10)} goal on ${String(100 * share).padStart(3)} %: stored ${rate(stored - began)} events/s, counted ${rate(took)} events/s in ${steps} steps of ${(took / steps).toFixed(1)} ms, ${((user + system) / total).toFixed(1)} µs of CPU of this process an event`,
  );
}

async function onSqlite(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-goals-'));
  for (const share of [0.01, 1]) {
    const file = join(dir, `${share}.db`);
    await migrateStore(file, systemClock);
    const store = await connectStore(file, systemClock);
    await measure('SQLite', store, share);
    await store.close();
  }
  rmSync(dir, { recursive: true });
}

async function onPostgres(): Promise<void> {
  const server = await startPostgres({ durable: true });
  try {
    for (const share of [0.01, 1]) {
      const url = await createDatabase(server.admin);
      await migrateStore(url, systemClock);
      const store = await connectStore(url, systemClock);
      await measure('PostgreSQL', store, share);
      await store.close();
    }
  } finally {
    await server.stop();
  }
}

if (only !== 'postgres') await onSqlite();
if (only !== 'sqlite') await onPostgres();
