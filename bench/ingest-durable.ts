/**
 * Measures durable ingestion: `svc events import` into `svc serve` without limits, on SQLite and on PostgreSQL, as
 * separate processes on one machine. Every counted event is committed to disk (SQLite: synchronous=FULL; PostgreSQL:
 * fsync and synchronous_commit on). Prints events/s and the CPU-seconds per million events of each process, which depend
 * less on other load than the rate. `npm run bench -- bench/ingest-durable.ts [EVENTS] [ROUNDS]
 * [sqlite|postgres|citus] [plan|goals|PROGRAM]` after `npm run build`; with `plan` each round imports once without and once into a
 * service whose catalog has a plan made of the events, with `goals` once without, once with a goal on 1 % of the events and once
 * on the other 99 %, with PROGRAM, which is the `bin/run.js` of another build, once into this one and once into that, and the ratios
 * are printed; a goal's events are counted behind the import, and the next import waits for that. `citus` needs a coordinator in SVC_TEST_CITUS_URL. Pin it to cores for comparable figures: `taskset -c 0,1 npm run bench -- …`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { coordinator, dropDistributed } from '../test/support/postgres/citus.ts';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';
import { writeEvents } from './import-events.ts';
import { cpuOf } from './support/cpu-of.ts';
import { type Served, serve } from './support/serve.ts';

const count = Number(process.argv[2] ?? 500_000);
const rounds = Number(process.argv[3] ?? 3);
const only = process.argv[4];
const other = process.argv[5]?.endsWith('.js') ? process.argv[5] : undefined;
const OTHER = 'other build';
/** What the catalogs have, beside none, or the other build. */
const compared = other
  ? [OTHER]
  : ({ plan: ['plan'], goals: ['goal 1 %', 'goal 99 %'] }[process.argv[5] ?? ''] ?? []);
const program = join(process.cwd(), 'bin/run.js');
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));

interface Result {
  readonly accepted: number;
  readonly elapsedMs: number;
  /** Seconds, of the client. */
  readonly cpu: number;
}

async function importInto(ready: Served, file: string): Promise<Result> {
  const command = [process.execPath, program, 'events', 'import', file, '--json', '--quiet', '--restart'];
  // GNU time prints the CPU-seconds after the client's own output.
  const child = spawn('/usr/bin/time', ['-f', '%U %S', ...command], {
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      SVC_BASE_URL: ready.url,
      SVC_WORKSPACE: ready.workspace,
      SVC_API_KEY: ready.apiKey,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the import ended with ${code}: ${stderr}`);
  const [user, system] = stderr.trim().split(/\s+/).slice(-2).map(Number);
  return { ...JSON.parse(out), cpu: user! + system! };
}

/** A catalog with the plan that the events themselves give, or with a goal on 1 % of them or on the others. */
function catalogOf(what: string, file: string): object {
  if (what === 'plan')
    return JSON.parse(
      execFileSync(process.execPath, [program, 'events', 'plan', file], { env: { HOME: dir } }).toString(),
    );
  const goal = { goalId: 'g', event: 'page_viewed', within: '7d', value: { property: 'price', to: 10 } };
  return { goals: [what === 'goal 1 %' ? { ...goal, event: 'ordered' } : goal] };
}

async function putCatalog({ url, headers }: Served, what: string, file: string): Promise<void> {
  const answer = await fetch(`${url}/v1/catalog`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ catalog: { contents: [], ...catalogOf(what, file) } }),
  });
  if (!answer.ok) throw new Error(`the catalog was answered with ${answer.status}`);
}

/** Waits until a service has counted its events for its goals. */
async function counted({ url, headers }: Served): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/v1/model`, { headers });
    const { goals = [] } = (await answer.json()) as { goals?: readonly { behind: number }[] };
    if (goals.every(({ behind }) => behind === 0)) return;
    await sleep(200);
  }
}

interface Round {
  readonly rate: number;
  /** CPU-seconds of the service per million events. */
  readonly service: number;
}

/** Imports into the databases in turn, and compares each but the first with it. `what`: what its catalog has; empty for none. */
async function measure(
  name: string,
  databases: readonly { readonly database: string; readonly what: string }[],
  serverPid?: number,
): Promise<void> {
  const file = join(dir, 'events.ndjson');
  const measured: { title: string; rounds: Round[]; ready: Served }[] = [];
  for (const { database, what } of databases) {
    const ready = await serve({ database, home: dir, program: what === OTHER ? other : undefined });
    if (what !== '' && what !== OTHER) await putCatalog(ready, what, file);
    measured.push({ title: `${name} ${what}`.trim(), rounds: [], ready });
  }
  for (let round = 0; round < rounds; round++)
    for (const { title, rounds: done, ready } of measured) {
      const pids = [ready.pid, ...(serverPid === undefined ? [] : [serverPid])];
      const before = pids.map(cpuOf);
      const { accepted, elapsedMs, cpu } = await importInto(ready, file);
      if (accepted !== count) throw new Error(`only ${accepted} of ${count} were accepted`);
      await counted(ready);
      const [service, server] = pids.map((pid, i) => ((cpuOf(pid) - before[i]!) * 1_000_000) / count);
      const rate = accepted / (elapsedMs / 1000);
      done.push({ rate, service: service! });
      const parts = {
        client: (cpu * 1_000_000) / count,
        service,
        ...(server === undefined ? {} : { PostgreSQL: server }),
      };
      const shares = Object.entries(parts).map(([part, seconds]) => `${part} ${seconds!.toFixed(1)}`);
      console.log(
        `${title.padEnd(15)} ${Math.round(rate).toLocaleString('en').padStart(8)} events/s   CPU-s per million: ${shares.join(', ')}`,
      );
    }
  for (const { title, rounds: done, ready } of measured) {
    await ready.stop();
    const rates = done.map(({ rate }) => rate);
    console.log(
      `${title.padEnd(15)} median ${Math.round(median(rates)).toLocaleString('en')}, best ${Math.round(Math.max(...rates)).toLocaleString('en')} events/s`,
    );
  }
  const [first, ...others] = measured;
  for (const { title, rounds: done } of others) {
    const ratio = (of: (round: Round) => number) =>
      median(done.map((each, i) => of(each) / of(first!.rounds[i]!))).toFixed(2);
    console.log(
      `${title.padEnd(15)} relative to the first, median of ${rounds}: rate ${ratio(({ rate }) => rate)}, CPU of the service ${ratio(({ service }) => service)}`,
    );
  }
}

const median = (of: readonly number[]) => of.toSorted((a, b) => a - b)[of.length >> 1]!;
/** What is measured: without anything in the catalog, and with what was asked for. */
const all = ['', ...compared];

await writeEvents(join(dir, 'events.ndjson'), count, process.argv[5] === 'goals' ? 100 : 0);
console.log(
  `${count.toLocaleString('en')} events, ${statSync(join(dir, 'events.ndjson')).size.toLocaleString('en')} bytes, ${rounds} rounds`,
);
try {
  if (only === undefined || only === 'sqlite')
    await measure(
      'SQLite',
      all.map((what, i) => ({ database: join(dir, `ingest-${i}.db`), what })),
    );
  if (only === undefined || only === 'postgres') {
    const server = await startPostgres({ durable: true });
    const databases = [];
    for (const what of all) databases.push({ database: await createDatabase(server.admin), what });
    await measure('PostgreSQL', databases, server.pid());
    await server.stop();
  }
  if (coordinator && (only === undefined || only === 'citus')) {
    await measure('Citus', [{ database: await createDatabase(coordinator), what: all.at(-1)! }]);
    await dropDistributed(coordinator);
  } else if (only === 'citus') console.log('SKIPPED: SVC_TEST_CITUS_URL names no coordinator');
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
