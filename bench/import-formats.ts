/**
 * Compares the import of the same events as NDJSON, JSON arrays (one event per line, and indented), Parquet and a zip
 * archive into a server that only responds: events per second, CPU-seconds, and the peak memory at a tenth of the events
 * and at all of them, which must not grow. `npm run bench -- bench/import-formats.ts [EVENTS] [ROUNDS]` after
 * `npm run build`. Only the ratios to NDJSON are comparable between machines.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { ZipFile } from 'yazl';
import { writeEvents } from './import-events.ts';

const most = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const root = process.cwd();
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
const sink = spawn(process.execPath, [join(root, 'scripts/run.js'), join(root, 'bench/import-sink.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => sink.kill());
const [url] = (await once(createInterface({ input: sink.stdout! }), 'line')) as [string];

interface Event {
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  readonly properties: { page: string; price: number; member: boolean; ref: string };
}

/** Writes the same events in every format. */
async function write(count: number): Promise<Record<string, string>> {
  const name = (rest: string) => join(dir, `${count}${rest}`);
  await writeEvents(name('.ndjson'), count);
  const lines = createWriteStream(name('-lines.json'));
  const indented = createWriteStream(name('-indented.json'));
  const columns: Record<string, unknown[]> = {};
  let first = true;
  for await (const line of createInterface({ input: createReadStream(name('.ndjson')) })) {
    const { properties, ...fields } = JSON.parse(line) as Event;
    for (const [column, value] of Object.entries({ ...fields, ...properties })) {
      columns[column] ??= [];
      columns[column].push(value);
    }
    if (!lines.write(`${first ? '[' : ','}\n${line}`)) await once(lines, 'drain');
    const text = JSON.stringify(JSON.parse(line), null, 2).replaceAll('\n', '\n  ');
    if (!indented.write(`${first ? '[' : ','}\n  ${text}`)) await once(indented, 'drain');
    first = false;
  }
  for (const stream of [lines, indented]) {
    stream.end('\n]\n');
    await once(stream, 'close');
  }
  const columnData = Object.entries(columns).map(([column, data]) => ({ name: column, data }));
  writeFileSync(name('.parquet'), new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 100_000 })));
  const zip = new ZipFile();
  zip.addFile(name('.ndjson'), 'events.ndjson');
  zip.end();
  const out = zip.outputStream.pipe(createWriteStream(name('.zip')));
  await once(out, 'close');
  return {
    ndjson: name('.ndjson'),
    'array, lines': name('-lines.json'),
    'array, indented': name('-indented.json'),
    parquet: name('.parquet'),
    zip: name('.zip'),
  };
}

/** Imports a file; returns its seconds, CPU-seconds and peak memory in MB. */
function measure(file: string, count: number) {
  const argv = [join(root, 'bin/run.js'), 'events', 'import', file, '--json', '-q', '--restart'];
  const run = spawnSync('/usr/bin/time', ['-f', '%e %U %S %M', process.execPath, ...argv], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: dir, SVC_BASE_URL: url, SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' },
  });
  if (run.status !== 0) throw new Error(`${file}: ended with ${run.status}: ${run.stderr}`);
  const { accepted } = JSON.parse(run.stdout) as { accepted: number };
  if (accepted !== count) throw new Error(`${file}: ${accepted} accepted`);
  const [seconds, user, system, peak] = run.stderr
    .trim()
    .split('\n')
    .at(-1)!
    .split(' ')
    .map(Number) as number[];
  return { seconds: seconds!, cpu: user! + system!, peak: peak! / 1024 };
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const few = Math.ceil(most / 10);
const small = await write(few);
const large = await write(most);
const runs = Object.keys(large).map((name) => ({ name, found: [] as ReturnType<typeof measure>[] }));
for (let round = 0; round < rounds; round++)
  for (const run of runs) run.found.push(measure(large[run.name]!, most));
const base = median(runs[0]!.found.map(({ seconds }) => seconds));
for (const { name, found } of runs) {
  const seconds = median(found.map((one) => one.seconds));
  const cpu = median(found.map((one) => one.cpu));
  const peak = median(found.map((one) => one.peak));
  const before = measure(small[name]!, few).peak;
  console.log(
    `${name.padEnd(16)} ${Math.round(most / seconds)
      .toLocaleString('en')
      .padStart(8)} events/s  ` +
      `${(base / seconds).toFixed(2)} of ndjson  ${((cpu * 1e6) / most).toFixed(2)} CPU-s per million  ` +
      `${Math.round(peak)} MB peak (${Math.round(before)} at a tenth)`,
  );
}
process.exit(0);
