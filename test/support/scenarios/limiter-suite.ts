import { join } from 'node:path';
import { systemClock } from '../../../src/kit/clock.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { localLimiter } from '../../../src/service/platform/limits/limiter.ts';
import { postgresLimiter } from '../../../src/service/platform/limits/postgres-limiter.ts';
import { PostgresStore } from '../../../src/service/platform/store/postgres/store.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';
import { LimiterOracle, type OracleReport } from './limiter-oracle.ts';

const HOUR = 3_600_000;

export interface LimiterFigures extends OracleReport {
  /** Wall clock changes of an hour, killed processes, and reboots. */
  jumps: number;
  kills: number;
  reboots: number;
}

/**
 * Two processes on one file, with a steady clock that the test moves: slightly, to the end of a window, or beyond it. The
 * wall clock changes by an hour in both directions, processes are replaced without being closed, and the machine reboots
 * (its steady clock restarts at zero).
 */
export async function limitOnSqlite(dir: string, operations: number, seed: string): Promise<LimiterFigures> {
  const random = seededRandom(seed);
  const path = join(dir, 'limiter.db');
  let wall = Date.parse('2026-01-01T00:00:00Z');
  let steady = 1_000_000;
  const clock = { now: () => wall, sleep: () => new Promise<void>(() => {}) };
  const open = async () => {
    const store = await SqliteStore.open(path, clock);
    return { store, ...(await localLimiter(store, clock, () => steady)) };
  };
  const processes = [await open(), await open()];
  const oracle = new LimiterOracle(10, random, (next) => ({
    limit: 1 + Math.floor(next() ** 3 * 700),
    windowMs: next() < 0.5 ? 60_000 : 1000 + Math.floor(next() * 20_000),
  }));
  const figures = { jumps: 0, kills: 0, reboots: 0 };
  const { report } = oracle;
  while (report.operations < operations) {
    await oracle.ask((key) => processes[key % 2]!.limiter, 60);
    const ahead = random() < 0.03 ? [59_999, 60_000, 60_001][Math.floor(random() * 3)]! : random() * 2000;
    steady += ahead;
    wall += ahead;
    const chance = random();
    if (chance < 0.05) {
      wall += random() < 0.5 ? HOUR : -HOUR;
      figures.jumps++;
    } else if (chance < 0.06) {
      // The store is not closed, as after a kill.
      const dead = Math.floor(random() * 2);
      const { store } = processes[dead]!;
      processes[dead] = await open();
      figures.kills++;
      await store.close();
    } else if (chance < 0.063) {
      for (const { store } of processes) await store.close();
      const before = oracle.newest;
      steady = random() * 1000;
      wall += 5 * 60_000;
      processes[0] = await open();
      processes[1] = await open();
      figures.reboots++;
      const { at } = await processes[0]!.limiter('ws_reboot', 'reads', { limit: 1e6, windowMs: 1 });
      if (at < before || at > before + 60_001)
        report.faults.push(`after a reboot ${at}, before it ${before}`);
    }
  }
  for (const { store } of processes) await store.close();
  return { ...report, ...figures };
}

/** Two nodes on one PostgreSQL database, in database time, with windows that expire during the test. */
export async function limitOnPostgres(
  url: string,
  operations: number,
  seed: string,
): Promise<LimiterFigures> {
  const random = seededRandom(seed);
  const steady = () => performance.now();
  const nodes = await Promise.all([
    PostgresStore.open(url, systemClock),
    PostgresStore.open(url, systemClock),
  ]);
  const limiters = nodes.map((store) => postgresLimiter(store, steady));
  const oracle = new LimiterOracle(20, random, (next) => ({
    limit: 1 + Math.floor(next() ** 2 * 300),
    windowMs: 50 + Math.floor(next() * 2000),
  }));
  let kills = 0;
  while (oracle.report.operations < operations) {
    await oracle.ask((key) => limiters[key % 2]!, 100);
    if (random() < 0.02) {
      const replaced = Math.floor(random() * 2);
      const before = nodes[replaced]!;
      nodes[replaced] = await PostgresStore.open(url, systemClock);
      limiters[replaced] = postgresLimiter(nodes[replaced]!, steady);
      await before.close();
      kills++;
    }
  }
  for (const store of nodes) await store.close();
  return { ...oracle.report, jumps: 0, kills, reboots: 0 };
}
