import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { peakOf } from '../../support/process/peak-memory.ts';
import { type SvcProgram, svcProgram } from '../../support/process/svc-process.ts';
import { rawZip } from '../../support/scenarios/hostile-zip.ts';
import { event } from '../../support/scenarios/importer.ts';
import { tempDir } from '../../support/temp.ts';

const MB = 250;
const LINE = Buffer.from(`${event(1)}\n`);
const members = (count: number, content = LINE) =>
  Array.from({ length: count }, (_, n) => ({ name: `${n}.ndjson`, content }));

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
});

async function run(bytes: Buffer, ...argv: string[]) {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.zip'), bytes);
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const ended = await peakOf(program, ['events', ...argv, 'a.zip', '--json'], { env, cwd });
  return { ...ended, error: /"message":"([^"]*)/.exec(ended.stderr)?.[1] };
}

const DAMAGED = 'a.zip is a damaged zip archive';

test.each<[string, Buffer, string]>([
  [
    '10,000 entries with the same content',
    rawZip(members(1), { repeated: 9_999 }),
    `${DAMAGED}: 0-0.ndjson overlaps another file`,
  ],
  [
    'a small file that claims 4 GB',
    rawZip([{ name: 'a.ndjson', content: LINE, size: 0xfffffffe }]),
    `${DAMAGED}: its files claim to be larger than its bytes can hold`,
  ],
  [
    'a file that is longer than it claims',
    rawZip([{ name: 'a.ndjson', content: LINE, size: 1 }]),
    'a.ndjson in a.zip is damaged: ',
  ],
  ['65,536 files', rawZip(members(1, Buffer.alloc(0)), { repeated: 65_535 }), 'a.zip'],
  ['60,000 honest files', rawZip(members(60_000)), 'a.zip has more than 10000 files'],
  ['a 64-bit list outside of it', rawZip(members(1), { end64: 2n ** 63n }), `${DAMAGED}: `],
])('%s: refused at once', async (_, bytes, message) => {
  for (const argv of [['import', '--dry-run'], ['inspect']]) {
    const { code, error, megabytes } = await run(bytes, ...argv);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(message) });
    expect(megabytes).toBeLessThan(MB);
  }
});

test('many files need no more memory than one', async () => {
  const few = await run(rawZip(members(1)), 'import', '--dry-run');
  const many = await run(rawZip(members(3000)), 'import', '--dry-run');
  expect(JSON.parse(many.stdout)).toMatchObject({ read: 3000, rejected: 0, files: 3000 });
  // Collected late, what is not used any more adds some.
  expect(many.megabytes - few.megabytes).toBeLessThan(100);
});

test('the first files of an archive are named, and how many more there are', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.zip'), rawZip(members(50)));
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const { stdout } = await peakOf(program, ['events', 'inspect', 'a.zip'], { env, cwd });
  expect(stdout.split('\n')[0]).toMatch(/^(a\.zip:[\w-]+\.ndjson, ){4}a\.zip:[\w-]+\.ndjson and 45 more$/);
});
