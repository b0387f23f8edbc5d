import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, expect, test } from 'vitest';
import { peakOf } from '../../support/process/peak-memory.ts';
import { type SvcProgram, svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

const MB = 250;

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
});

/** A file whose columns have the same text in each row, one page each. Its compression makes it small. */
function parquet(columns: number, rows: number, text: string, rowGroupSize = rows): Uint8Array {
  const columnData = Array.from({ length: columns }, (_, n) => ({
    name: `c${n}`,
    data: Array<string>(rows).fill(text),
    type: 'STRING' as const,
    encoding: 'PLAIN' as const,
    nullable: false,
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize, pageSize: 2 ** 30, codec: 'SNAPPY' }));
}

const LONG = 'x'.repeat(1024);

test.each<[string, () => Uint8Array, string]>([
  ['a page of 120 MiB', () => parquet(1, 120_000, LONG), 'a page is too large, or its header is damaged'],
  ['pages of 160 MiB', () => parquet(4, 40_000, LONG), 'its pages need more than 144 MiB of memory together'],
  ['20,000 columns', () => parquet(20_000, 1, 'x'), 'it has more than 6000 columns'],
  [
    '60,000 row groups',
    () => parquet(1, 60_000, 'x', 1),
    'its metadata describe more columns and row groups than can be read',
  ],
])(
  '%s: refused within 250 MB',
  async (_, bytes, message) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'a.parquet'), bytes());
    const env = { PATH: process.env.PATH ?? '', HOME: cwd };
    for (const argv of [['import', '--dry-run'], ['inspect']]) {
      const ended = await peakOf(program, ['events', ...argv, 'a.parquet', '--json'], { env, cwd });
      expect(ended.stderr).toContain(`a.parquet cannot be read as Parquet: ${message}`);
      expect(ended.code).toBe(2);
      // Smaller row groups have smaller pages; a page of long texts would be as large.
      const smaller = message.includes('together');
      expect(ended.stderr.includes('smaller-pages.parquet')).toBe(smaller);
      expect(ended.megabytes, argv.join(' ')).toBeLessThan(MB);
    }
  },
  300_000,
);

/** Mebibytes of the commands for a page of long texts, each of which is copied several times. Node.js 24 needs more. */
const isNode24 = Number(process.versions.node.split('.')[0]) >= 24;
const LONG_TEXTS_MB = isNode24 ? { inspect: 330, import: 330 } : { inspect: 250, import: 280 };

test('a page of 100 MiB of long texts is not held several times, nor what its rows became', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.parquet'), parquet(1, 110, 'x'.repeat(960_000)));
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const made = ['--set', 'userId=u', '--set', 'event=e', '--set', 'timestamp=2026-01-01T00:00:00Z'];
  for (const argv of [['inspect'], ['import', '--dry-run', ...made]]) {
    const ended = await peakOf(program, ['events', ...argv, 'a.parquet', '--json'], { env, cwd });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.megabytes, argv.join(' ')).toBeLessThan(LONG_TEXTS_MB[argv[0] as 'inspect' | 'import']);
  }
}, 300_000);
