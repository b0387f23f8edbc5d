import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { type SvcProgram, svcProgram } from '../../support/process/svc-process.ts';
import { rawZip } from '../../support/scenarios/hostile-zip.ts';
import { event } from '../../support/scenarios/importer.ts';
import { tempDir } from '../../support/temp.ts';

/** What a process may compute after its signal: seconds of its processor time, which other programs hardly change. */
const LONGEST = 1;
const HEADER = 'userId,event,timestamp\n';
const ROW = 'u,e,2026-01-31T12:00:00Z\n';

/** Long inputs of each format. Parts without content and short records cost most by the byte. */
const LONG: Record<string, () => string | Buffer> = {
  'members.zip': () =>
    rawZip(
      Array.from({ length: 5000 }, (_, n) => ({ name: `${n}.csv`, content: Buffer.from(HEADER + ROW) })),
    ),
  'rows.csv': () => HEADER + ROW.repeat(1_000_000),
  'short.csv': () => `${HEADER}${'x\n'.repeat(4_000_000)}`,
  'lines.ndjson': () => `${event(1)}\n`.repeat(500_000),
  'numbers.ndjson': () => `${event(1)}\n${'1\n'.repeat(4_000_000)}`,
  'array.json': () => `[${`${event(1)},`.repeat(500_000)}${event(1)}]`,
  'numbers.json': () => `[${event(1)}${',1'.repeat(4_000_000)}]`,
  'members.ndjson.gz': () => Buffer.concat(Array(400_000).fill(gzipSync(`${event(1)}\n`))),
  'empty.ndjson.gz': () => Buffer.concat([gzipSync(`${event(1)}\n`), ...Array(400_000).fill(gzipSync(''))]),
  // Each empty frame has a window of 2 MiB.
  'frames.ndjson.zst': () => Buffer.alloc(9 * 100_000, Buffer.from('28b52ffd0058010000', 'hex')),
  'groups.parquet': () => parquet(100_000, 100),
  'rows.parquet': () => parquet(300_000, 300_000),
};

function parquet(rows: number, rowGroupSize: number): Buffer {
  const column = (name: string, value: string) => ({
    name,
    data: Array<string>(rows).fill(value),
    type: 'STRING' as const,
    encoding: 'PLAIN' as const,
    nullable: false,
  });
  const columnData = [
    column('userId', 'u'),
    column('event', 'e'),
    column('timestamp', '2026-01-31T12:00:00Z'),
  ];
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize, codec: 'UNCOMPRESSED' }));
}

/** Says which read of the input is the next, once it is number READ, and lets it wait until a signal has come. */
const PRELOAD = `const fs = require('node:fs');
const files = require('node:fs/promises');
const { open } = files;
let reads = 0;
files.open = async (path, ...rest) => {
  const file = await open(path, ...rest);
  if (!String(path).endsWith(process.env.INPUT)) return file;
  const read = file.read.bind(file);
  file.read = async (...args) => {
    if (++reads === Number(process.env.READ))
      await new Promise((resolve) => {
        // A signal alone does not keep a process alive.
        const alive = setInterval(() => {}, 1000);
        const go = () => resolve(clearInterval(alive));
        for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, go);
        fs.writeSync(2, 'READING\\n');
      });
    return read(...args);
  };
  return file;
};
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  fs.writeFileSync(process.env.CPU_FILE, String((user + system) / 1e6));
});
`;

/** Seconds of processor time of a process so far, as the kernel counts them in hundredths. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
});

const environment = (home: string, url: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  SVC_BASE_URL: url.replace(/\/$/, ''),
  SVC_WORKSPACE: 'w',
  SVC_API_KEY: 'k',
});

/** Interrupts a command at a read of its input. Resolves to its exit code, and what it computed after the signal. */
async function interrupted(
  input: string,
  argv: readonly string[],
  read: number,
  signal: NodeJS.Signals | undefined,
  cwd: string,
) {
  const script = join(cwd, 'preload.cjs');
  const cpu = join(cwd, 'cpu');
  writeFileSync(script, PRELOAD);
  const sink = await startReceiver((response, { body }) => {
    const accepted = JSON.parse(body.toString()).events.length;
    response.writeHead(202).end(JSON.stringify({ accepted }));
  });
  const env = {
    ...environment(cwd, sink.url),
    NODE_OPTIONS: `--require=${script}`,
    // Without a signal, no read waits.
    INPUT: signal ? input : '-',
    READ: String(read),
    CPU_FILE: cpu,
  };
  const { child, ended } = program.start(['events', ...argv, input, '--json'], { env, cwd });
  let before = 0;
  child.stderr!.on('data', (chunk: Buffer) => {
    if (!chunk.includes('READING') || !signal) return;
    before = cpuSeconds(child.pid!);
    child.kill(signal);
  });
  const { code, stderr } = await ended;
  await sink.close();
  expect(stderr.includes('READING'), 'it came to the read').toBe(signal !== undefined);
  const seconds = Number(readFileSync(cpu, 'utf8')) - before;
  return { code, seconds };
}

test.each(Object.keys(LONG))(
  'a signal ends the reading of %s',
  async (name) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, name), LONG[name]!());
    // A read of compressed data gives the reader most to do.
    const read = name.endsWith('.zst') ? 3 : 8;
    for (const [signal, ...argv] of [
      ['SIGINT', 'import', '--no-preflight'],
      ['SIGTERM', 'import', '--dry-run'],
      ['SIGINT', 'inspect'],
    ] as const) {
      const { code, seconds } = await interrupted(name, argv, read, signal, cwd);
      expect(code, argv.join(' ')).toBe(130);
      expect(seconds, argv.join(' ')).toBeLessThan(LONGEST);
    }
  },
  300_000,
);

test('a signal ends the comparison with what was imported', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), LONG['lines.ndjson']!());
  const whole = await interrupted('a.ndjson', ['import', '--no-preflight'], 1, undefined, cwd);
  expect(whole.code).toBe(0);
  for (const resume of [[], ['--resume']]) {
    const argv = ['import', '--no-preflight', ...resume];
    const { code, seconds } = await interrupted('a.ndjson', argv, 8, 'SIGINT', cwd);
    expect(code, argv.join(' ')).toBe(130);
    expect(seconds, argv.join(' ')).toBeLessThan(LONGEST);
  }
});

test('SIGINT twice ends an import that waits for its service', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), LONG['lines.ndjson']!());
  const sink = await startReceiver(() => {});
  const env = environment(cwd, sink.url);
  const { child, ended } = program.start(['events', 'import', 'a.ndjson', '--no-preflight'], { env, cwd });
  await sink.waitFor(1);
  // Two within a tenth of a second count as one.
  const again = setInterval(() => child.kill('SIGINT'), 150);
  const { code, stderr } = await ended;
  clearInterval(again);
  expect(code).toBe(130);
  expect(stderr).toContain('press Ctrl-C again to stop at once');
  await sink.close();
});
