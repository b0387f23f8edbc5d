import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, onTestFinished, test } from 'vitest';
import { ParquetFile, valueAt } from '../../../../../src/features/import/formats/parquet/parquet-file.ts';
import { runSvc } from '../../../../support/process/run-svc.ts';
import { importer, MAPPING } from '../../../../support/scenarios/importer.ts';
import { tempDir } from '../../../../support/temp.ts';

const T = '2026-01-31T12:00:00Z';
const text = fc.oneof(
  fc.constantFrom('', 'a', 'Zoë', '😀', 'say "hi"', 'two\nlines', '5', 'true', 'x'.repeat(300)),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });

/** The record of a row, as JSON.stringify would write it. */
function recordOf(row: Record<string, unknown>): string {
  const present = Object.entries(row).filter(([, value]) => value !== null && value !== '');
  const properties = Object.fromEntries(present);
  const rest = present.length > 0 ? `,"properties":${JSON.stringify(properties)}` : '';
  return `{"userId":"u","event":"e","timestamp":"${T}"${rest}}`;
}

test('every value arrives, for any pages, row groups, encodings and missing values', async () => {
  const row = fc.record({
    s: maybe(text),
    d: maybe(fc.constantFrom('one', 'two')),
    i: maybe(fc.integer()),
    f: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
    b: maybe(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 60 }),
      fc.constantFrom(1, 16, 100, undefined),
      fc.constantFrom(1, 7, 1000),
      fc.constantFrom('SNAPPY' as const, 'UNCOMPRESSED' as const),
      async (rows, pageSize, rowGroupSize, codec) => {
        const column = <K extends keyof (typeof rows)[0]>(name: K) => rows.map((one) => one[name]);
        const constant = (name: string, value: string) => ({
          name,
          data: rows.map(() => value),
          type: 'STRING' as const,
          nullable: false,
        });
        const bytes = parquetWriteBuffer({
          columnData: [
            constant('userId', 'u'),
            constant('event', 'e'),
            constant('timestamp', T),
            { name: 's', data: column('s'), type: 'STRING', encoding: 'PLAIN' },
            { name: 'd', data: column('d'), type: 'STRING' },
            { name: 'i', data: column('i'), type: 'INT32' },
            { name: 'f', data: column('f'), type: 'DOUBLE' },
            { name: 'b', data: column('b'), type: 'BOOLEAN' },
          ],
          rowGroupSize,
          codec,
          ...(pageSize === undefined ? {} : { pageSize }),
        });
        const { run, service, rejects } = importer({ 'a.parquet': Buffer.from(bytes) });
        await run({ preflight: false });
        expect(rejects()).toBeUndefined();
        const sent = rows.map((one) => recordOf({ ...one, f: one.f === null ? null : one.f + 0 }));
        expect(service.stored.map((one) => JSON.parse(one))).toEqual(sent.map((one) => JSON.parse(one)));
      },
    ),
    { numRuns: 40 },
  );
});

test('lists and structs of any length arrive whole, wherever a page ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 5 }), { minLength: 1, maxLength: 30 }),
      fc.constantFrom(1, 20, undefined),
      async (lists, pageSize) => {
        const bytes = parquetWriteBuffer({
          columnData: [
            { name: 'userId', data: lists.map((_, n) => `u${n}`) },
            { name: 'event', data: lists.map(() => 'e') },
            { name: 'timestamp', data: lists.map(() => T) },
            { name: 'list', data: lists },
          ],
          schema: [
            { name: 'root', num_children: 4 },
            { name: 'userId', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
            { name: 'event', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
            { name: 'timestamp', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
            { name: 'list', converted_type: 'LIST', repetition_type: 'REQUIRED', num_children: 1 },
            { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
            { name: 'element', type: 'INT32', repetition_type: 'REQUIRED' },
          ],
          ...(pageSize === undefined ? {} : { pageSize }),
        });
        const { run, service } = importer({ 'a.parquet': Buffer.from(bytes) });
        await run({ preflight: false, mapping: { ...MAPPING, nested: 'json' } });
        const found = service.stored.map((one) => JSON.parse(JSON.parse(one).properties.list));
        expect(found).toEqual(lists);
      },
    ),
    { numRuns: 30 },
  );
});

test('a row group of lists is read page by page, however many there are', async () => {
  const list = Array.from({ length: 1000 }, (_, n) => n % 3);
  const lists = Array.from({ length: 5_000 }, () => list);
  const bytes = parquetWriteBuffer({
    columnData: [{ name: 'list', data: lists }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'list', converted_type: 'LIST', repetition_type: 'REQUIRED', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'INT32', repetition_type: 'REQUIRED' },
    ],
    rowGroupSize: lists.length,
    pageSize: 256 * 1024,
  });
  const path = join(tempDir(), 'lists.parquet');
  writeFileSync(path, new Uint8Array(bytes));
  const file = await open(path);
  onTestFinished(() => file.close());
  const { size } = await file.stat();
  let rows = 0;
  for await (const slice of (await ParquetFile.open(file, size, 'lists.parquet')).slices(new Set()))
    rows += slice.rows;
  expect(rows).toBe(lists.length);
});

test('a row group of many pages is read once, and never as a whole', async () => {
  const count = 60_000;
  const path = join(tempDir(), 'a.parquet');
  const names = ['a', 'b', 'c'];
  const data = (name: string) => Array.from({ length: count }, (_, n) => `${name} ${n} ${'x'.repeat(40)}`);
  const columnData = names.map((name) => ({ name, data: data(name), type: 'STRING' as const }));
  const options = { columnData, rowGroupSize: count, pageSize: 32 * 1024, codec: 'UNCOMPRESSED' as const };
  writeFileSync(path, new Uint8Array(parquetWriteBuffer(options)));
  const file = await open(path);
  try {
    const { size } = await file.stat();
    let read = 0;
    let longest = 0;
    const counting = new Proxy(file, {
      get: (target, name) =>
        name === 'read'
          ? async (...args: [Buffer, number, number, number]) => {
              const result = await target.read(...args);
              read += result.bytesRead;
              longest = Math.max(longest, result.bytesRead);
              return result;
            }
          : Reflect.get(target, name, target),
    });
    const parquet = await ParquetFile.open(counting, size, 'a.parquet');
    let rows = 0;
    let most = 0;
    for await (const slice of parquet.slices(new Set(names))) {
      for (let i = 0; i < slice.rows; i += 997)
        expect(String(valueAt(slice.columns[1]!, i) instanceof Uint8Array)).toBe('true');
      rows += slice.rows;
      most = Math.max(most, slice.rows);
    }
    expect(rows).toBe(count);
    expect(most).toBeLessThanOrEqual(4096);
    expect(read).toBeLessThan(size * 1.3);
    expect(longest).toBeLessThan(size / 4);
  } finally {
    await file.close();
  }
});

test('inspect reads the first rows of a large file, and estimates how many it has', async () => {
  const count = 60_000;
  const home = tempDir();
  const constant = (name: string, value: string) => ({ name, data: new Array<string>(count).fill(value) });
  const columnData = [
    constant('userId', 'u'),
    constant('event', 'e'),
    constant('timestamp', T),
    constant('note', 'x'.repeat(200)),
  ];
  writeFileSync(join(home, 'a.parquet'), new Uint8Array(parquetWriteBuffer({ columnData })));
  const { stdout } = await runSvc(['events', 'inspect', 'a.parquet', '--json'], { home, cwd: home });
  const { rows, rowsExact } = JSON.parse(stdout);
  expect(rowsExact).toBe(false);
  expect(Math.abs(rows - count)).toBeLessThan(count / 100);
});

test('the work for a table of thousands of columns grows with their number, not with its square', async () => {
  const path = join(tempDir(), 'a.parquet');
  const columnData = Array.from({ length: 6000 }, (_, n) => ({
    name: `column ${n}`,
    data: [n],
    type: 'INT32' as const,
  }));
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })));
  const file = await open(path);
  try {
    const before = process.cpuUsage();
    const parquet = await ParquetFile.open(file, (await file.stat()).size, 'a.parquet');
    let seen = 0;
    for await (const slice of parquet.slices(new Set()))
      for (const [n, values] of slice.columns.entries()) if (valueAt(values, 0) === n) seen++;
    expect(seen).toBe(6000);
    // It needs half a second; with the square of the number it was 7 s.
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(4);
  } finally {
    await file.close();
  }
});
