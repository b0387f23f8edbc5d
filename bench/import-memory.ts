/**
 * Measures the peak memory of `svc events import`, which must not grow with its input. Also gzip and one very long line.
 * `npm run bench -- bench/import-memory.ts [EVENTS]` after `npm run build`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { writeEvents } from './import-events.ts';

const most = Number(process.argv[2] ?? 5_000_000);
const root = process.cwd();
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
const sink = spawn(process.execPath, [join(root, 'scripts/run.js'), join(root, 'bench/import-sink.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => sink.kill());
const [url] = (await once(createInterface({ input: sink.stdout! }), 'line')) as [string];

/** Returns the peak memory of an import in MB. */
function peak(name: string, exit: number): number {
  const run = spawnSync(
    '/usr/bin/time',
    ['-f', '%M', process.execPath, join(root, 'bin/run.js'), 'events', 'import', name, '--json', '-q'],
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
  if (run.status !== exit) throw new Error(`${name}: ended with ${run.status}: ${run.stderr}`);
  const megabytes = Number(run.stderr.trim().split('\n').at(-1)) / 1024;
  const { read } = JSON.parse(run.stdout) as { read: number };
  console.log(
    `${name.padEnd(16)} ${read.toLocaleString('en').padStart(10)} records  ${Math.round(megabytes)} MB peak`,
  );
  return megabytes;
}

await writeEvents(join(dir, 'small.ndjson'), 100_000);
await writeEvents(join(dir, 'large.ndjson'), most);
await pipeline(
  createReadStream(join(dir, 'large.ndjson')),
  createGzip({ level: 1 }),
  createWriteStream(join(dir, 'large.ndjson.gz')),
);
const line = createWriteStream(join(dir, 'line.ndjson'));
line.write('{"userId":"');
for (let i = 0; i < 500; i++) if (!line.write('x'.repeat(1 << 20))) await once(line, 'drain');
line.end('"}\n');
await once(line, 'close');

const small = peak('small.ndjson', 0);
const large = peak('large.ndjson', 0);
peak('large.ndjson.gz', 0);
peak('line.ndjson', 7);
console.log(`large over small: ${(large / small).toFixed(2)}`);
process.exit(0);
