import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { ZipFile } from 'yazl';

/** What an input of numbered records is made of. */
export type Shape = 'lines' | 'array' | 'parquet' | 'zip' | 'folder';

const TIME = '2026-01-31T12:00:00Z';

/** Returns whether the record with a number is one that must be rejected. */
export function isBad(n: number): boolean {
  return n % 97 === 13;
}

const event = (n: number) =>
  `{"userId":"user-${n}","event":"e","timestamp":"${TIME}","properties":{"n":${n}}}`;
const line = (n: number) => `${isBad(n) ? `bad ${n}` : event(n)}\n`;

/** The names of the inputs of a shape. */
export function inputsOf(shape: Shape): string[] {
  return {
    lines: ['in.ndjson', 'more.ndjson'],
    array: ['in.json'],
    parquet: ['in.parquet'],
    zip: ['in.zip'],
    folder: ['in'],
  }[shape];
}

/** Writes the records numbered from `from` to below `to`; only lines can be appended to what is there. */
export async function addRecords(shape: Shape, dir: string, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, n) => n + from);
  const third = Math.ceil(numbers.length / 3);
  const parts = [0, 1, 2].map((n) => numbers.slice(n * third, (n + 1) * third));
  switch (shape) {
    case 'lines':
      for (const [odd, name] of inputsOf(shape).entries())
        appendFileSync(
          join(dir, name),
          numbers
            .filter((n) => (n - from) % 2 === odd)
            .map(line)
            .join(''),
        );
      return;
    case 'array':
      return writeFileSync(join(dir, 'in.json'), arrayOf(numbers));
    case 'parquet':
      return writeFileSync(join(dir, 'in.parquet'), parquetOf(numbers));
    case 'zip':
      return writeFileSync(
        join(dir, 'in.zip'),
        await zipOf({
          'a.ndjson': parts[0]!.map(line).join(''),
          'b.json': arrayOf(parts[1]!),
          'c.ndjson.gz': gzipSync(parts[2]!.map(line).join('')),
        }),
      );
    case 'folder':
      mkdirSync(join(dir, 'in/deep'), { recursive: true });
      writeFileSync(join(dir, 'in/a.json'), arrayOf(parts[0]!));
      writeFileSync(join(dir, 'in/b.parquet'), parquetOf(parts[1]!));
      writeFileSync(join(dir, 'in/deep/c.ndjson.gz'), gzipSync(parts[2]!.map(line).join('')));
  }
}

/** One third indented, one third one per line, one third side by side. */
function arrayOf(numbers: readonly number[]): string {
  const elements = numbers.map((n) => {
    if (isBad(n)) return `"bad ${n}"`;
    return n % 3 === 0
      ? JSON.stringify(JSON.parse(event(n)), null, 2)
      : n % 3 === 1
        ? `\n${event(n)}`
        : event(n);
  });
  return `[${elements.join(',')}]\n`;
}

/** Bad records have no user. */
function parquetOf(numbers: readonly number[], rowGroupSize = 300): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'userId', data: numbers.map((n) => (isBad(n) ? null : `user-${n}`)), type: 'STRING' },
        { name: 'event', data: numbers.map(() => 'e'), type: 'STRING' },
        { name: 'timestamp', data: numbers.map(() => TIME), type: 'STRING' },
        { name: 'n', data: [...numbers], type: 'INT32' },
      ],
      rowGroupSize,
    }),
  );
}

/** A zip archive by an independent writer. */
export async function zipOf(
  entries: Record<string, string | Buffer>,
  { compress = true, zip64 = false } = {},
): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries))
    file.addBuffer(Buffer.from(content), name, { compress, forceZip64Format: zip64 });
  file.end({ forceZip64Format: zip64, comment: 'made by yazl' });
  const chunks: Buffer[] = [];
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
