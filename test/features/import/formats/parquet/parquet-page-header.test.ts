import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { parquetMetadata, parquetSchema } from 'hyparquet';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { inexactPart } from '../../../../../src/features/import/formats/parquet/cells.ts';
import { ColumnPages } from '../../../../../src/features/import/formats/parquet/column-pages.ts';
import { HeldMemory } from '../../../../../src/features/import/formats/parquet/held-memory.ts';
import { thriftEnd } from '../../../../../src/features/import/formats/parquet/thrift-check.ts';
import { tempDir } from '../../../../support/temp.ts';

/** Reads a page of the numbers 1 to 3 whose header has further fields. */
async function readWith(fields: (page: Uint8Array) => readonly number[]): Promise<number[]> {
  const columnData = [{ name: 'n', data: [1, 2, 3], type: 'INT32' as const, nullable: false }];
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }));
  const metadata = parquetMetadata(bytes);
  const column = metadata.row_groups[0]!.columns[0]!;
  const data = column.meta_data!;
  const start = Number(data.data_page_offset);
  const end = start + Number(data.total_compressed_size);
  const page = thriftEnd(bytes, start);
  const more = fields(bytes.subarray(page, end));
  const path = join(tempDir(), 'page');
  // The last byte of the header ends it.
  writeFileSync(
    path,
    Buffer.concat([bytes.subarray(0, page - 1), Uint8Array.from(more), bytes.subarray(page - 1, end)]),
  );
  const file = await open(path);
  try {
    const source = { file, size: end + more.length, rows: 3, memory: new HeldMemory() };
    const total = data.total_compressed_size + BigInt(more.length);
    const pages = new ColumnPages(
      source,
      parquetSchema(metadata),
      { ...column, meta_data: { ...data, total_compressed_size: total } },
      { parsers: DEFAULT_PARSERS },
    );
    await pages.fill();
    return Array.from(pages.take(3) as Int32Array);
  } finally {
    await file.close();
  }
}

/** A field of a number of 32 bits, as a zigzag varint. */
function numberField(id: number, value: number): number[] {
  let zigzag = BigInt.asUintN(32, BigInt((value << 1) ^ (value >> 31)));
  const bytes = [];
  for (; zigzag > 127n; zigzag >>= 7n) bytes.push(Number(zigzag & 127n) | 128);
  return [0x05, id * 2, ...bytes, Number(zigzag)];
}

test('the checksum of a page is verified where it has one', async () => {
  expect(await readWith((page) => numberField(4, crc32(page) | 0))).toEqual([1, 2, 3]);
  const wrong = readWith((page) => numberField(4, ~crc32(page)));
  await expect(wrong).rejects.toThrow('the checksum of a page does not match');
});

test('a page header of more than 4 KiB is read whole', async () => {
  const length = 6000;
  const field = [0x08, 40, 128 | (length & 127), length >> 7, ...new Array<number>(length).fill(97)];
  expect(await readWith(() => field)).toEqual([1, 2, 3]);
});

test('values of the type VARIANT are refused: decimals and local times inside are not kept', () => {
  const element = { name: 'v', num_children: 2, logical_type: { type: 'VARIANT' as const } };
  expect(inexactPart({ count: 1, element, children: [], path: ['v'] })).toBe('v');
});
