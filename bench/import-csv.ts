/**
 * Compares the import of the same events as NDJSON and as CSV (typed columns, one date format) into a server that only
 * responds, and measures `events inspect` of a large CSV. `npm run bench -- bench/import-csv.ts [EVENTS] [ROUNDS] [MB]`
 * after `npm run build`. The ratio of CPU time is comparable between machines.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeEvents } from './import-events.ts';

const count = Number(process.argv[2] ?? 500_000);
const rounds = Number(process.argv[3] ?? 3);
const megabytes = Number(process.argv[4] ?? 1024);
const root = process.cwd();
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

interface Event {
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  readonly properties: Record<string, string | number | boolean>;
}

const ndjson = join(dir, 'events.ndjson');
const csv = join(dir, 'events.csv');
await writeEvents(ndjson, count);
const names: string[] = [];
const out = createWriteStream(csv);
for await (const line of createInterface({ input: createReadStream(ndjson) })) {
  const { userId, event, timestamp, properties } = JSON.parse(line) as Event;
  if (names.length === 0) {
    names.push(...Object.keys(properties));
    out.write(`${['userId', 'event', 'timestamp', ...names].join(',')}\n`);
  }
  const time = timestamp.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
  const cells = [userId, event, time, ...names.map((name) => String(properties[name] ?? ''))];
  const quoted = cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  if (!out.write(`${quoted.join(',')}\n`)) await once(out, 'drain');
}
out.end();
await once(out, 'close');

const sink = spawn(process.execPath, [join(root, 'scripts/run.js'), join(root, 'bench/import-sink.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => sink.kill());
const [url] = (await once(createInterface({ input: sink.stdout! }), 'line')) as [string];

/** Runs svc and measures it with GNU time: seconds, CPU-seconds and peak memory. */
function svc(...args: string[]) {
  const run = spawnSync(
    '/usr/bin/time',
    ['-f', '%e %U %S %M', process.execPath, join(root, 'bin/run.js'), ...args],
    {
      cwd: dir,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: dir,
        SVC_BASE_URL: url,
        SVC_WORKSPACE: 'w',
        SVC_API_KEY: 'k',
      },
    },
  );
  if (run.status !== 0) throw new Error(`svc ${args.join(' ')} ended with ${run.status}: ${run.stderr}`);
  const line = run.stderr.trim().split('\n').at(-1)!;
  const [seconds, user, system, peak] = line.split(' ').map(Number) as [number, number, number, number];
  return { seconds, cpu: user + system, peakMb: Math.round(peak / 1024), stdout: run.stdout };
}

const flags = ['--json', '--restart', '--quiet'];
const ratios: number[] = [];
for (let round = 0; round < rounds; round++) {
  const plain = svc('events', 'import', ndjson, ...flags);
  const table = svc('events', 'import', csv, '--timestamp-format', 'YYYY-MM-DD HH:mm:ss', ...flags);
  for (const [name, run] of [
    ['NDJSON', plain],
    ['CSV', table],
  ] as const)
    console.log(
      `${name.padEnd(7)} ${Math.round(count / run.seconds).toLocaleString('en')} events/s, ` +
        `${((run.cpu * 1_000_000) / count).toFixed(2)} CPU-s per million, ${run.peakMb} MB peak`,
    );
  ratios.push(plain.cpu / table.cpu);
}
ratios.sort((a, b) => a - b);
console.log(
  `CSV reaches ${Math.round(100 * ratios[Math.floor(rounds / 2)]!)} % of NDJSON (by CPU time, median)`,
);

const large = join(dir, 'large.csv');
const copies = createWriteStream(large);
for (let written = 0; written < megabytes * 1024 * 1024; written += statSync(csv).size)
  for await (const chunk of createReadStream(csv)) if (!copies.write(chunk)) await once(copies, 'drain');
copies.end();
await once(copies, 'close');
const inspected = svc('events', 'inspect', large, '--json');
const { rows, rowsExact } = JSON.parse(inspected.stdout) as { rows: number; rowsExact: boolean };
console.log(
  `inspect of ${Math.round(statSync(large).size / 1024 / 1024)} MB: ${inspected.seconds} s, ${inspected.cpu.toFixed(2)} CPU-s, ` +
    `${inspected.peakMb} MB peak, ${rows.toLocaleString('en')} rows${rowsExact ? '' : ' (estimated)'}`,
);
process.exit(0);
