/**
 * Compares `svc events import` with a shell pipeline (`split | jq | curl`), both against a server that only responds:
 * events per second, CPU-seconds and peak memory. `npm run bench -- bench/import.ts [EVENTS] [ROUNDS]` after
 * `npm run build`. Needs jq, curl and split. Only the ratios are comparable between machines.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeEvents } from './import-events.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const root = process.cwd();
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

const file = join(dir, 'events.ndjson');
await writeEvents(file, count);
const sink = spawn(process.execPath, [join(root, 'scripts/run.js'), join(root, 'bench/import-sink.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => sink.kill());
const [url] = (await once(createInterface({ input: sink.stdout! }), 'line')) as [string];

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  readonly peakMb: number;
}

/** Runs a command and measures it and its child processes with GNU time. */
function measure(command: string, args: string[], env: Record<string, string> = {}): Measured {
  const run = spawnSync('/usr/bin/time', ['-f', '%e %U %S %M', command, ...args], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: dir, ...env },
  });
  const line = run.stderr.trim().split('\n').at(-1)!;
  if (run.status !== 0) throw new Error(`${command} ended with ${run.status}: ${run.stderr}`);
  const [seconds, user, system, peak] = line.split(' ').map(Number) as [number, number, number, number];
  return { seconds, cpu: user + system, peakMb: peak / 1024 };
}

const svc = () =>
  measure(process.execPath, [join(root, 'bin/run.js'), 'events', 'import', file, '--json', '--restart'], {
    SVC_BASE_URL: url,
    SVC_WORKSPACE: 'w',
    SVC_API_KEY: 'k',
  });
const shell = () =>
  measure('/bin/sh', [
    '-c',
    `split -l 1000 --filter='jq -sc "{events: .}" | curl -s -o /dev/null -H "authorization: Bearer k" -H "x-service-workspace: w" -H "content-type: application/json" --data-binary @- ${url}/v1/events' ${file}`,
  ]);

const row = (name: string, { seconds, cpu, peakMb }: Measured) =>
  console.log(
    `${name.padEnd(12)} ${Math.round(count / seconds).toLocaleString('en')} events/s  ` +
      `${((cpu * 1_000_000) / count).toFixed(2)} CPU-s per million  ${Math.round(peakMb)} MB peak`,
  );
console.log(
  `${count.toLocaleString('en')} events, ${statSync(file).size.toLocaleString('en')} bytes, ${rounds} rounds`,
);
const ratios: number[] = [];
for (let round = 0; round < rounds; round++) {
  const ours = svc();
  const theirs = shell();
  row('svc', ours);
  row('shell', theirs);
  ratios.push(theirs.seconds / ours.seconds);
}
ratios.sort((a, b) => a - b);
console.log(`ratio, median of ${rounds}: ${ratios[Math.floor(rounds / 2)]!.toFixed(1)}`);
process.exit(0);
