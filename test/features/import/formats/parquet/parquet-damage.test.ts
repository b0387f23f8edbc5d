// cspell:ignore abcxyxyxyz xyxyxyz
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { compressorsInto } from '../../../../../src/features/import/formats/parquet/compressors.ts';
import { HeldMemory } from '../../../../../src/features/import/formats/parquet/held-memory.ts';
import { decompressFramedLz4 } from '../../../../../src/features/import/formats/parquet/lz4.ts';
import {
  givePageBuffer,
  takePageBuffer,
} from '../../../../../src/features/import/formats/parquet/page-buffers.ts';
import { checkDeltas, readRuns } from '../../../../../src/features/import/formats/parquet/runs.ts';
import { decompressSnappy } from '../../../../../src/features/import/formats/parquet/snappy.ts';
import { thriftEnd, Unfinished } from '../../../../../src/features/import/formats/parquet/thrift-check.ts';
import type { Damage, Outcome } from '../../../../support/parquet/read-damaged.ts';
import { killable } from '../../../../support/process/killable.ts';
import { ROOT, runSvc } from '../../../../support/process/run-svc.ts';
import { tempDir } from '../../../../support/temp.ts';

/** A file with a column of each encoding. */
function encodings(): Uint8Array {
  const rows = Array.from({ length: 24 }, (_, n) => n);
  const sparse = <T>(values: T[]) => values.map((value, i) => (i % 5 === 3 ? null : value));
  const needed = { type: 'STRING' as const, nullable: false };
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'userId', data: rows.map((n) => `u${n}`), ...needed, encoding: 'DELTA_BYTE_ARRAY' },
        { name: 'event', data: rows.map((n) => `e${n}`), ...needed, encoding: 'DELTA_LENGTH_BYTE_ARRAY' },
        { name: 'small', data: sparse(rows), type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
        { name: 'large', data: sparse(rows.map(BigInt)), type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
        { name: 'real', data: rows, type: 'DOUBLE', nullable: false, encoding: 'BYTE_STREAM_SPLIT' },
        { name: 'flag', data: sparse(rows.map((n) => n > 9)), type: 'BOOLEAN', encoding: 'RLE' },
        { name: 'same', data: rows.map(() => 'x'), type: 'STRING' },
      ],
    }),
  );
}

test('a Parquet file with a changed byte is read or refused, in bounded time and memory', async () => {
  const dir = tempDir();
  const path = join(dir, 'encodings.parquet');
  writeFileSync(path, encodings());
  const fixture = (name: string) => join(ROOT, 'test/fixtures/parquet', `${name}.parquet`);
  const damages: Damage[] = [
    { path, first: 0, step: 3, mask: 255 },
    { path: fixture('nested'), first: 2, step: 3, mask: 1 },
    { path: fixture('odd'), first: 0, step: 7, mask: 64 },
    { path: fixture('types-zstd'), first: 0, step: 101, mask: 255 },
  ];
  const program = await killable<Outcome>(join(ROOT, 'test/support/parquet/read-damaged.ts'));
  try {
    const outcome = await program.start({ damages, scratch: join(dir, 'damaged.parquet') });
    expect(outcome).toMatchObject({ crashed: [] });
    const { read, refused, memory } = outcome;
    expect(Math.min(read, refused)).toBeGreaterThan(100);
    // Damaged sizes claim gigabytes.
    expect(memory).toBeLessThan(250);
  } finally {
    await program.release();
  }
  // The time of a file that is never read to its end; it takes seconds.
}, 300_000);

test('inspect refuses metadata whose tree of columns has no end', async () => {
  const home = tempDir();
  const bytes = Buffer.from(encodings());
  // The number of columns below the root, as a zigzag number of one byte.
  const at = bytes.indexOf(Buffer.from([0x15, 14]), bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8));
  expect(at).toBeGreaterThan(0);
  bytes[at + 1] = 16;
  writeFileSync(join(home, 'a.parquet'), bytes);
  const { code, stderr } = await runSvc(['events', 'inspect', 'a.parquet'], { home, cwd: home });
  expect(code).toBe(2);
  expect(stderr).toContain('a.parquet cannot be read as Parquet: its metadata are damaged');
});

test('a file whose metadata have no number of rows is read by its row groups', async () => {
  const home = tempDir();
  const columnData = [{ name: 'a', data: ['x', 'y', 'z'], type: 'STRING' as const }];
  const bytes = Buffer.from(parquetWriteBuffer({ columnData }));
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  // The third field of the file's metadata, 3 as a zigzag number, and the fourth, a list.
  const at = bytes.indexOf(Buffer.from([0x16, 6, 0x19]), footer);
  expect(at).toBeGreaterThan(0);
  bytes[at + 1] = 0;
  writeFileSync(join(home, 'a.parquet'), bytes);
  const { stdout } = await runSvc(['events', 'inspect', 'a.parquet', '--json'], { home, cwd: home });
  expect(JSON.parse(stdout)).toMatchObject({ rows: 3 });
});

test('LZ4 is read with the framing of Hadoop and without', () => {
  // Three literals; then two literals and a match of four bytes that repeats them.
  const blocks = [Uint8Array.of(0x30, 97, 98, 99), Uint8Array.of(0x20, 120, 121, 2, 0, 0x10, 122)];
  const framed = Uint8Array.from([
    0,
    0,
    0,
    3,
    0,
    0,
    0,
    4,
    ...blocks[0]!,
    0,
    0,
    0,
    7,
    0,
    0,
    0,
    7,
    ...blocks[1]!,
  ]);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  expect(text(decompressFramedLz4(framed, 10))).toBe('abcxyxyxyz');
  expect(text(decompressFramedLz4(blocks[1]!, 7))).toBe('xyxyxyz');
  expect(text(decompressFramedLz4(Uint8Array.of(), 0))).toBe('');
  for (let cut = 1; cut < framed.length; cut++)
    expect(() => decompressFramedLz4(framed.subarray(0, cut), 10)).toThrow('LZ4 data');
});

test('runs that claim more values or bytes than there are neither hang nor fill memory', () => {
  // A run of 2^31 - 1 zeros, and one of packed groups without bits.
  expect(readRuns(Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x0f, 0), 1, 5)).toEqual(new Uint8Array(5));
  expect(readRuns(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f), 0, 5)).toEqual(new Uint8Array(5));
  expect(() => readRuns(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f), 3, 1000)).toThrow('damaged');
  expect(() => readRuns(Uint8Array.of(0, 0, 0, 0), 8, 5)).toThrow('damaged');
  expect(() => readRuns(Uint8Array.of(10, 3), 1, 5)).toThrow('damaged');
  // Blocks of 2^31 parts.
  expect(() => checkDeltas(Uint8Array.of(0x80, 1, 0x80, 0x80, 0x80, 0x80, 8, 5, 0, 0), 0, 5)).toThrow(
    'damaged',
  );
  expect(() => checkDeltas(Uint8Array.of(0x80, 1, 0, 5, 0, 0), 0, 5)).toThrow('damaged');
});

test.each([3, 8, 13, 25, 31])('packed numbers of %i bits are read exactly', (width) => {
  const numbers = Array.from({ length: 16 }, (_, n) => (n * 2_654_435_761) % 2 ** width);
  let bits = 0n;
  for (const [i, number] of numbers.entries()) bits |= BigInt(number) << BigInt(i * width);
  const bytes = Array.from({ length: 2 * width }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));
  expect([...readRuns(Uint8Array.of(5, ...bytes), width, 16)]).toEqual(numbers);
});

test('snappy data that step back or out of their content are refused', () => {
  expect(decompressSnappy(Uint8Array.of(7, 0, 97, 10, 1, 0, 8, 98, 98, 98), new Uint8Array(7))).toEqual(
    new Uint8Array(Buffer.from('a'.repeat(4) + 'b'.repeat(3))),
  );
  // A literal of 2^32 - 1 bytes, which hyparquet takes for one of -1, and a copy from after the end.
  for (const part of [
    [0xfc, 0xfe, 0xff, 0xff, 0xff],
    [0, 97, 0x0f, 0xff, 0xff, 0xff, 0xff],
  ])
    expect(() => decompressSnappy(Uint8Array.of(5, ...part), new Uint8Array(5))).toThrow('damaged');
});

test('metadata with lengths beyond their bytes are refused before they are parsed', () => {
  expect(thriftEnd(Uint8Array.of(0x15, 4, 0x18, 1, 97, 0, 99))).toBe(6);
  expect(() => thriftEnd(Uint8Array.of(0x18, 100, 97, 0))).toThrow(Unfinished);
  expect(() => thriftEnd(Uint8Array.of(0x19, 0xfc, 0xff, 0xff, 0xff, 0x0f, 0))).toThrow('damaged');
  expect(() => thriftEnd(new Uint8Array(1000).fill(0x1c))).toThrow('damaged');
  expect(() => thriftEnd(Uint8Array.of(0x16, ...new Array(1000).fill(0xff)))).toThrow('damaged');
});

test('the pages of all columns together need bounded memory', () => {
  const memory = new HeldMemory();
  memory.replace(0, 80 * 1024 * 1024);
  memory.replace(80 * 1024 * 1024, 100 * 1024 * 1024);
  expect(() => memory.replace(0, 50 * 1024 * 1024)).toThrow('need more than 144 MiB');
});

test('a page in zstd is decompressed into its place, which is not made a text', () => {
  const place = Object.assign(new Uint8Array(3), {
    toString: () => {
      throw new Error('a text of all bytes');
    },
  });
  // A frame of one block of three bytes that are not compressed.
  const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 97, 98, 99);
  expect(compressorsInto(() => place).ZSTD!(frame, 3)).toBe(place);
  expect([...place]).toEqual([97, 98, 99]);
});

test('a small page leaves the buffer of a large one to the next large page', () => {
  const large = takePageBuffer(20 * 1024 * 1024);
  givePageBuffer(large);
  expect(takePageBuffer(100)).toHaveLength(100);
  expect(takePageBuffer(18 * 1024 * 1024)).toBe(large);
});
