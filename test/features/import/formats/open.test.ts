import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openInput } from '../../../../src/features/import/formats/open.ts';
import { type ByteSource, chunksOf } from '../../../../src/features/import/input/bytes.ts';
import { decompressed } from '../../../../src/features/import/input/decompress.ts';
import { sourceOf } from '../../../support/collect.ts';
import { ROOT } from '../../../support/process/run-svc.ts';
import { tempDir } from '../../../support/temp.ts';

const ZSTD = readFileSync(join(ROOT, 'test/fixtures/events-two-frames.ndjson.zst'));
const EVENTS = Array.from(
  { length: 5000 },
  (_, n) =>
    `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"n":${(n * 7919) % 10007}}}\n`,
).join('');

async function all(source: ByteSource, size?: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(source, size)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const PLAIN = { fields: new Set<string>(), reading: {} };

async function look(name: string, content: string | Buffer) {
  const cwd = tempDir();
  writeFileSync(join(cwd, name), content);
  const input = await openInput(name, { ...PLAIN, cwd, stdin: Readable.from([]) });
  const bytes = await all(input.bytes);
  await input.close();
  return { ...input, text: bytes.toString() };
}

test.each([
  ['a.ndjson', '{}\n', 'ndjson', undefined],
  ['a.jsonl', 'nonsense\n', 'ndjson', undefined],
  ['a.csv', '{,}\n', 'csv', undefined],
  ['a.tsv.gz', gzipSync('a\tb\n'), 'csv', 'gzip'],
  ['no-extension', '\ufeff \n{"a":1}\n', 'ndjson', undefined],
  ['a.txt', 'userId,event\n', 'csv', undefined],
  // The content counts, not the name.
  ['a.ndjson', gzipSync('{}\n'), 'ndjson', 'gzip'],
  ['a.log', ZSTD, 'ndjson', 'zstd'],
  ['empty.ndjson', '', 'ndjson', undefined],
  ['empty', '', 'ndjson', undefined],
  ['a.csv', Buffer.from('fffe75007300', 'hex'), 'csv', undefined],
  ['a.ndjson', '[\n  {"a": 1}\n]', 'json', undefined],
  ['no-extension', '{\n  "a": 1\n}', 'json', undefined],
] as const)('%s is opened as %s of %s', async (name, content, format, compression) => {
  expect(await look(name, content)).toMatchObject({ format, compression });
});

test.each([
  [
    'binary.ndjson',
    Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) & 255)),
    'binary.ndjson is binary data',
  ],
  // No zero byte, and the share of control characters that random bytes have.
  [
    'random.csv',
    Buffer.from(Array.from({ length: 300 }, (_, i) => 1 + ((i * 7919 + (i >> 3) * 31) % 255))),
    'random.csv is binary data',
  ],
  ['packed.csv', gzipSync(gzipSync('a,b\n')), 'packed.csv is binary data'],
  ['a.ndjson.bz2', Buffer.from('BZh91AY&SY'), 'a.ndjson.bz2 is compressed with bzip2'],
  ['a.gz', '{}\n', 'a.gz is not compressed'],
  [
    'a.tar.gz',
    gzipSync(
      Buffer.concat([Buffer.from('a.csv'.padEnd(257, '\0')), Buffer.from('ustar\0'.padEnd(255, '0'))]),
    ),
    'a.tar.gz is a tar archive',
  ],
  ['cyrillic.csv', Buffer.from('c8ecff2cf1eee1fbf2e8e50a', 'hex'), 'cyrillic.csv is not UTF-8 text'],
] as const)('%s is refused with a way out', async (name, content, message) => {
  await expect(look(name, content)).rejects.toMatchObject({
    name: 'InputError',
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/\w/),
  });
});

test('a file with an invalid record or text in another script is not taken for binary', async () => {
  const latin = Buffer.concat([Buffer.from(EVENTS.slice(0, 4000)), Buffer.from([0xe9, 0x0a])]);
  expect(await look('a.ndjson', latin)).toMatchObject({ format: 'ndjson' });
  expect(await look('a.csv', `имя,событие\n${'я,ж\n'.repeat(5000)}`)).toMatchObject({ format: 'csv' });
});

test('zstd: frames, a skippable frame and a missing checksum, in reads of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 70_000 }),
      fc.integer({ min: 1, max: 70_000 }),
      async (chunk, size) => {
        const plain = await all(decompressed(sourceOf(ZSTD, chunk), 'zstd', 'a.zst'), size);
        expect(plain.equals(Buffer.from(EVENTS))).toBe(true);
      },
    ),
    { numRuns: 8 },
  );
});

test('detects a changed byte in zstd data by the checksum', async () => {
  const frame = (text: string, sum: number[]) =>
    Buffer.from([
      0x28,
      0xb5,
      0x2f,
      0xfd,
      4,
      0x50,
      (text.length << 3) | 1,
      0,
      0,
      ...Buffer.from(text),
      ...sum,
    ]);
  const read = (...frames: Buffer[]) =>
    all(decompressed(sourceOf(Buffer.concat(frames), 3), 'zstd', 'a.zst'));
  // XXH64 of "abc" is 44bc2cf5ad770999.
  const good = frame('abc', [0x99, 0x09, 0x77, 0xad]);
  expect((await read(good, good)).toString()).toBe('abcabc');
  await expect(read(good, frame('abd', [0x99, 0x09, 0x77, 0xad]))).rejects.toMatchObject({
    message: 'a.zst is damaged zstd data: its checksum does not match.',
  });
});

test('refuses a zstd window over 8 MiB before decoding', async () => {
  // A frame of `zstd --long=27`: window descriptor 0x88, then one raw block; the second frame of a stream.
  const frame = (descriptor: number) =>
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, descriptor, 0x09, 0, 0, 0x41]);
  const read = (...frames: Buffer[]) =>
    all(decompressed(sourceOf(Buffer.concat(frames), 5), 'zstd', 'a.zst'));
  expect((await read(frame(0x68), frame(0x50))).toString()).toBe('AA');
  await expect(read(frame(0x50), frame(0x88))).rejects.toMatchObject({
    message: 'a.zst was compressed with a window of more than 8 MiB (zstd --long or --ultra).',
    prepare: { by: 'zstd -dc --long=31 a.zst', makes: '-' },
  });
});

test('reads consecutive gzip members as one text', async () => {
  const two = Buffer.concat([gzipSync('{"a":1}\n'), gzipSync('{"b":2}\n')]);
  expect((await look('a.ndjson.gz', two)).text).toBe('{"a":1}\n{"b":2}\n');
});

test.each([
  ['gzip', gzipSync(EVENTS)],
  ['zstd', ZSTD],
] as const)('reports truncated and damaged %s data', async (compression, packed) => {
  const read = (bytes: Buffer) => all(decompressed(sourceOf(bytes, 1000), compression, 'a'));
  await expect(read(packed.subarray(0, packed.length - 9))).rejects.toMatchObject({
    message: `a is damaged ${compression} data: it is truncated.`,
  });
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, 40, 90);
  await expect(read(damaged)).rejects.toMatchObject({ name: 'InputError' });
});

test('reports data that decompresses to more than the bound', async () => {
  const bomb = gzipSync(Buffer.alloc(3_000_000));
  const limits = { from: 1_000_000, ratio: 100 };
  await expect(all(decompressed(sourceOf(bomb, 1000), 'gzip', 'a.gz', { limits }))).rejects.toMatchObject({
    message: 'a.gz expands to more than 100 times its size and looks like a decompression bomb.',
  });
});

test('reads a growing file up to its size when it was opened', async () => {
  const cwd = tempDir();
  const path = join(cwd, 'a.ndjson');
  writeFileSync(path, '{"a":1}\n');
  const input = await openInput('a.ndjson', { ...PLAIN, cwd, stdin: Readable.from([]) });
  writeFileSync(path, '{"b":2}\n', { flag: 'a' });
  expect((await all(input.bytes)).toString()).toBe('{"a":1}\n');
  expect(await input.changed()).toBe(true);
  await input.close();
});

test('reports a file that was truncated while it was read', async () => {
  const cwd = tempDir();
  const path = join(cwd, 'a.ndjson');
  writeFileSync(path, EVENTS);
  const input = await openInput('a.ndjson', { ...PLAIN, cwd, stdin: Readable.from([]) });
  writeFileSync(path, '');
  await expect(all(input.bytes)).rejects.toMatchObject({
    message: expect.stringContaining('was truncated'),
  });
  await input.close();
});
