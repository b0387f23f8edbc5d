/**
 * Measures pacing against the service with its default window of 60 s: `npm run bench bench/pacing-real-clock.ts [WINDOWS]`.
 * Each scenario has its own service on a fresh SQLite file. All run at once, for 3 windows by default.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../src/client/client.ts';
import { Pacers } from '../src/client/pacers.ts';
import { systemClock } from '../src/kit/clock.ts';
import { seededRandom } from '../src/kit/random.ts';
import { startService } from '../src/service/start.ts';

const WINDOW_MS = 60_000;
const windows = Number(process.argv[2] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const event = { userId: 'u1', event: 'bench', timestamp: '2026-01-01T00:00:00Z' };

const steady = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: systemClock.sleep,
};

interface Count {
  sent: number;
  accepted: number;
  refused: number;
}

interface Scenario {
  name: string;
  limit: number;
  /** Independent paced clients, each given by its start after the first, in ms. */
  paced: number[];
  /** Requests per window of a client without pacing. */
  unpaced?: number;
}

const scenarios: Scenario[] = [
  { name: 'alone', limit: 60, paced: [0] },
  { name: 'alone', limit: 300, paced: [0] },
  { name: 'alone', limit: 600, paced: [0] },
  { name: 'beside 20 %', limit: 300, paced: [0], unpaced: 60 },
  { name: 'beside 20 %', limit: 600, paced: [0], unpaced: 120 },
  { name: 'two importers', limit: 600, paced: [0, 0] },
  { name: 'two importers', limit: 600, paced: [0, 20_000] },
];

const rows = await Promise.all(scenarios.map(run));
console.table(rows);
rmSync(folder, { recursive: true, force: true });
process.exit(0);

async function run(scenario: Scenario, index: number) {
  const { limit, paced, unpaced = 0 } = scenario;
  const service = await startService({ database: join(folder, `${index}.db`), limits: { ingest: limit } });
  const until = performance.now() + windows * WINDOW_MS;
  const random = seededRandom(index);
  const connect = (count: Count, isPaced: boolean) => {
    const pacers = new Pacers({ clock: steady, random });
    const client = createClient({
      baseUrl: service.url,
      workspace: service.workspace,
      apiKey: service.apiKey!,
      idempotent: true,
      timeoutMs: 10_000,
      maxRetries: 0,
      clock: systemClock,
      random,
      userAgent: 'bench',
      pacers: isPaced ? pacers : undefined,
      steadyClock: steady,
      onLimit: (_, { status }) => {
        count.sent++;
        if (status === 429) count.refused++;
        else count.accepted++;
      },
    });
    return { client, pacers };
  };
  const own: Count = { sent: 0, accepted: 0, refused: 0 };
  const other: Count = { sent: 0, accepted: 0, refused: 0 };
  await Promise.all([
    ...paced.map(async (delay) => {
      const { client, pacers } = connect(own, true);
      pacers.of('ingest').expect(Infinity);
      await systemClock.sleep(delay);
      await Promise.all(Array.from({ length: 8 }, () => importer(client, until)));
    }),
    ...(unpaced > 0 ? [loner(connect(other, false).client, until, unpaced, random)] : []),
  ]);
  await service.close(0);
  return {
    scenario: scenario.name,
    limit,
    'quota used %': round(((own.accepted + other.accepted) / (windows * limit)) * 100),
    'own 429 per 1,000': round((own.refused / own.sent) * 1000),
    'other refused %': unpaced > 0 ? round((other.refused / other.sent) * 100) : '-',
    requests: own.sent,
  };
}

async function importer(client: Client, until: number): Promise<void> {
  while (performance.now() < until) {
    const signal = AbortSignal.timeout(Math.max(1, Math.round(until - performance.now())));
    await client.call('ingestEvents', { body: { events: [event] }, signal }).catch(() => undefined);
  }
}

async function loner(client: Client, until: number, perWindow: number, random: () => number): Promise<void> {
  while (performance.now() < until) {
    await systemClock.sleep((-Math.log(1 - random()) * WINDOW_MS) / perWindow);
    client.call('ingestEvents', { body: { events: [event] } }).catch(() => undefined);
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
