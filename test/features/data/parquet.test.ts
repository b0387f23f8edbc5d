import * as fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { type ParquetState, ParquetWriter } from '../../../src/features/data/export/parquet.ts';

const COLUMNS = [
  ['text', 'text'],
  ['sent', 'instant'],
  ['at', 'time'],
  ['count', 'integer'],
  ['value', 'double'],
] as const;

const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const row = fc.record({
  text: nullable(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '{"a":1.50}'))),
  sent: nullable(
    fc
      .tuple(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        fc.stringMatching(/^\d{0,6}$/),
      )
      .map(([date, more]) => date.toISOString().replace('Z', `${more}Z`)),
  ),
  at: nullable(fc.integer({ min: -8.64e15, max: 8.64e15 })),
  count: nullable(fc.integer({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1 })),
  value: nullable(fc.double({ noNaN: true })),
});

const expected = (text: string) => {
  const [seconds, digits = ''] = text.slice(0, -1).split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(digits.slice(0, 6).padEnd(6, '0'));
};

/** Times as they are in the file, in microseconds. */
const parsers = { timestampFromMicroseconds: (micros: bigint) => micros };

it('writes what a reader reads again, also where a writer goes on for another', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { minLength: 1, maxLength: 20 }), { maxLength: 6 }),
      async (parts) => {
        let state: ParquetState | undefined;
        const files: Buffer[] = [];
        for (const [i, part] of parts.entries()) {
          // The state goes through JSON, as in the file with the progress.
          const writer = new ParquetWriter(COLUMNS, state && JSON.parse(JSON.stringify(state)));
          await writer.add(COLUMNS.map(([name]) => part.map((each) => each[name])));
          if (i % 2 === 1) await writer.add(COLUMNS.map(([name]) => part.map((each) => each[name])));
          files.push((await writer.flush())!);
          state = writer.state;
        }
        files.push(await new ParquetWriter(COLUMNS, state).end());
        const bytes = Buffer.concat(files);
        const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
        const read = await parquetReadObjects({
          file,
          parsers: parsers as never,
          compressors: await gunzip(),
        });
        const written = parts.flatMap((part, i) => (i % 2 === 1 ? [...part, ...part] : part));
        expect(read.map(({ text, sent, at, count, value }) => ({ text, sent, at, count, value }))).toEqual(
          written.map(({ text, sent, at, count, value }) => ({
            text,
            sent: sent === null ? null : expected(sent),
            at: at === null ? null : BigInt(at) * 1000n,
            count: count === null ? null : BigInt(count),
            value,
          })),
        );
      },
    ),
  );
});

async function gunzip() {
  const { gunzipSync } = await import('node:zlib');
  return { GZIP: (input: Uint8Array) => new Uint8Array(gunzipSync(input)) };
}

it('ends row groups, so that memory is bounded', async () => {
  const writer = new ParquetWriter([['text', 'text']]);
  let groups = 0;
  for (let i = 0; i < 30; i++) if (await writer.add([Array(10_000).fill('short')])) groups++;
  expect(groups).toBe(3);
  for (let i = 0; i < 10; i++) if (await writer.add([['x'.repeat(4 * 1024 * 1024)]])) groups++;
  expect(groups).toBe(5);
});
