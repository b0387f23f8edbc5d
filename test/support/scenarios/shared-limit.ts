import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { clientOf, startFleet } from '../process/fleet.ts';
import type { SvcProgram } from '../process/svc-process.ts';

export interface SharedLimitOptions {
  readonly database: string;
  readonly home: string;
  readonly limit: number;
  readonly windowMs: number;
  /** Requests of all importers. */
  readonly requests: number;
}

export interface SharedLimitReport {
  /** Counted requests, from the logs of all nodes. */
  readonly counted: number;
  /** The maximum number in any window. */
  readonly most: number;
  /** Number of 429 answers to all importers. */
  readonly rateLimited: number;
  /** Times of the refusals, in seconds after the start. */
  readonly refusedAfter: number[];
  readonly stored: number;
  readonly distinct: number;
  readonly seconds: number;
  readonly codes: (number | null)[];
}

const NODES = 3;
const IMPORTERS = 5;
const BATCH = 2;

/** Runs three nodes on one database behind a round-robin proxy, and five independent importers. */
export async function shareLimit(
  program: SvcProgram,
  options: SharedLimitOptions,
): Promise<SharedLimitReport> {
  const { database, home, limit, windowMs, requests } = options;
  const fleet = await startFleet(program, {
    database,
    home: join(home, 'nodes'),
    nodes: NODES,
    argv: ['--limit', `ingest=${limit}`, '--window', `${windowMs}ms`, '--log-level', 'debug'],
  });
  const started = performance.now();
  const startedAt = Date.now();
  const each = Math.ceil(requests / IMPORTERS) * BATCH;
  const runs = await Promise.all(
    Array.from({ length: IMPORTERS }, async (_, importer) => {
      const own = join(home, `importer-${importer}`);
      const env = clientOf(fleet, own);
      const lines = Array.from({ length: each }, (_, n) =>
        JSON.stringify({ userId: `${importer}-${n}`, event: 'e', timestamp: '2026-01-01T00:00:00Z' }),
      );
      writeFileSync(join(own, 'events.ndjson'), lines.join('\n'));
      const argv = ['events', 'import', 'events.ndjson', '--json', '--quiet', '--batch-size', String(BATCH)];
      return program.start([...argv, '--max-wait', '10m', '--max-retries', '50'], { env, cwd: own }).ended;
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await fleet.stop();
  const lines = (await fleet.logs()).split('\n').filter((line) => line.includes('"message":"request"'));
  const refused = lines.filter((line) => line.includes('"status":429'));
  const counted = lines.filter((line) => line.includes('"countedAt"'));
  const stamps = counted.map((line) => Number(/"countedAt":(\d+)/.exec(line)![1])).sort((a, b) => a - b);
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query(
    'SELECT count(*)::int AS stored, count(DISTINCT user_id)::int AS different FROM event',
  );
  await client.end();
  return {
    counted: stamps.length,
    most: mostWithin(stamps, windowMs),
    rateLimited: runs.reduce((sum, { stdout }) => sum + (JSON.parse(stdout).rateLimited as number), 0),
    refusedAfter: refused.map((line) => (Date.parse(JSON.parse(line).time) - startedAt) / 1000),
    stored: rows[0].stored,
    distinct: rows[0].different,
    seconds,
    codes: runs.map(({ code }) => code),
  };
}

/** The maximum number of timestamps (ms, ascending) in any window. A timestamp leaves it exactly `windowMs` later. */
function mostWithin(stamps: readonly number[], windowMs: number): number {
  let most = 0;
  let from = 0;
  stamps.forEach((stamp, i) => {
    while (stamps[from]! <= stamp - windowMs) from++;
    most = Math.max(most, i - from + 1);
  });
  return most;
}
