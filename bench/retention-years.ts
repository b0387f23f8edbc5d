/**
 * Simulates years of ingest and decisions with a retention of 84 days, and measures whether inserts, look-ups and the
 * removal of old rows slow down: milliseconds and pages of each, per batch, in the first and the last year. Pages are
 * buffers that PostgreSQL used, and on Linux the 4 KiB that SQLite read from its files beyond its cache.
 * `npm run bench -- bench/retention-years.ts [YEARS] [PERIODS] [postgres]`; PERIODS are the batches of a year.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/kit/clock.ts';
import { createWorkspaceRows } from '../src/service/admin/create-workspace.ts';
import { decisions } from '../src/service/decisions/store/decisions.ts';
import { events } from '../src/service/events/store/events.ts';
import { REMOVALS_BY_AGE } from '../src/service/features.ts';
import { connectStore } from '../src/service/platform/open.ts';
import { Precedence } from '../src/service/platform/precedence.ts';
import { partitionsOf } from '../src/service/platform/store/postgres/partitions.ts';
import type { Store, Tx } from '../src/service/platform/store/store.ts';
import { cleanOnce } from '../src/service/retention/janitor.ts';
import { eventBatch } from '../test/support/events/batch.ts';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 364 * DAY_MS;
const KEPT = {
  events: 84 * DAY_MS,
  decisions: 84 * DAY_MS,
  notifications: null,
  eventIds: null,
  outcomes: null,
};
const EVENTS = 1000;
const DECISIONS = 50;
const WORKSPACE = 'ws_years';

const years = Number(process.argv[2] ?? 10);
const periods = Number(process.argv[3] ?? 52);
const server = process.argv[4] === 'postgres' ? await startPostgres() : undefined;
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const database = server ? await createDatabase(server.admin) : join(dir, 'data.db');

let now = Date.UTC(2026, 0, 1);
const real = await connectStore(database, systemClock);
const write: Store['write'] = (work, options) => real.write((tx: Tx) => work({ ...tx, now }), options);
const store: Pick<Store, 'write' | 'shrink'> & { partitions?: NonNullable<Store['partitions']> } = {
  write,
  shrink: () => real.shrink(),
  ...(server
    ? { partitions: partitionsOf(write, () => Promise.reject(new Error('the first partition is small'))) }
    : {}),
};

/** The pages that were used so far. */
async function pages(): Promise<number> {
  if (!server) return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1]) / 4096;
  await real.read(({ sql }) => sql.get('SELECT pg_stat_force_next_flush()::text AS done'));
  const row = await real.read(({ sql }) =>
    sql.get<{ used: number }>(
      'SELECT blks_hit + blks_read AS used FROM pg_stat_database WHERE datname = current_database()',
    ),
  );
  return Number(row!.used);
}

type Cost = { ms: number; pages: number };
const costs = new Map<string, Cost[]>();

async function measured(name: string, work: () => Promise<unknown>): Promise<void> {
  const before = await pages();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const list = costs.get(name) ?? [];
  costs.set(name, [...list, { ms, pages: (await pages()) - before }]);
}

const batch = eventBatch(
  JSON.stringify({
    events: Array.from({ length: EVENTS }, (_, i) => ({
      userId: `user-${(i * 7919) % 5000}`,
      event: 'product_viewed',
      timestamp: '2026-01-01T00:00:00Z',
      properties: { sku: `sku-${i}`, price: 12.5 },
    })),
  }),
);

async function decide(from: number): Promise<void> {
  for (let i = 0; i < DECISIONS; i++)
    await write((tx) =>
      decisions.add(tx, WORKSPACE, {
        decisionId: `dec_${from + i}`,
        hashId: `user-${(from + i) % 500}`,
        context: { channel: 'in-app' },
        contentId: null,
        candidates: [],
        others: null,
        features: [],
        category: null,
        attributes: [],
        prior: null,
        modelVersion: 0,
        seed: 'seed',
        policy: null,
        reason: null,
        explanation: null,
        removed: null,
      }),
    );
}

/** A page of the newest events, and decisions by identifier and by user. */
async function lookUp(decided: number): Promise<void> {
  await write(async (tx) => {
    const head = await tx.sql.get<{ number: number }>(
      'SELECT number FROM event_head WHERE workspace_id = ?',
      [WORKSPACE],
    );
    await events.after(tx, WORKSPACE, Number(head!.number) - 500, 500);
    for (let i = 1; i <= 20; i++) {
      await decisions.get(tx, WORKSPACE, `dec_${decided - i}`);
      await decisions.history(tx, WORKSPACE, `user-${i}`, 20);
    }
  });
}

async function remove(): Promise<void> {
  for (const log of ['events', 'decisions'] as const) {
    const obstacle = await store.partitions?.keep(log, KEPT[log]);
    if (obstacle) throw new Error(obstacle);
  }
  const platform = { store: store as Store, precedence: new Precedence() };
  while ((await cleanOnce(platform, () => KEPT, REMOVALS_BY_AGE, WORKSPACE)) > 0);
  while (await store.shrink());
}

try {
  await write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'test' }));
  let decided = 0;
  for (let period = 0; period < years * periods; period++) {
    now += YEAR_MS / periods;
    await measured('insert', async () => {
      await write((tx) => events.append(tx, WORKSPACE, batch));
      await decide(decided);
    });
    decided += DECISIONS;
    await measured('look up', () => lookUp(decided));
    await measured('remove', remove);
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(`${server ? 'PostgreSQL' : 'SQLite'}: ${years} years of ${periods} batches, 84 days kept`);
  console.log('          year  ms (median)  ms (mean)  pages (median)  pages (mean)');
  for (const [name, list] of costs)
    for (const year of [1, Math.ceil(years / 2), years]) {
      const part = list.slice((year - 1) * periods, year * periods);
      const figures = [
        median(part.map(({ ms }) => ms)),
        mean(part.map(({ ms }) => ms)),
        median(part.map(({ pages: used }) => used)),
        mean(part.map(({ pages: used }) => used)),
      ];
      const [a, b, c, d] = figures.map((figure) => figure.toFixed(1));
      console.log(
        `${name.padEnd(9)} ${String(year).padStart(4)}  ${a!.padStart(11)}  ${b!.padStart(9)}  ${c!.padStart(14)}  ${d!.padStart(12)}`,
      );
    }
  const left = await real.read(({ sql }) =>
    sql.get<{ events: number; decisions: number }>(
      `SELECT (SELECT count(*) FROM event WHERE workspace_id = '${WORKSPACE}') AS events,
         (SELECT count(*) FROM decision WHERE workspace_id = '${WORKSPACE}') AS decisions`,
    ),
  );
  console.log(`left: ${left!.events} events, ${left!.decisions} decisions`);
} finally {
  await real.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
}
