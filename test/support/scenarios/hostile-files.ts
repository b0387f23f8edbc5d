import { gzipSync } from 'node:zlib';
import { event } from './importer.ts';

const MB = 1024 * 1024;
/** Nearly as long as the longest record. */
const RECORD = 8 * MB - 1024;
const HEADER = 'userId,event,timestamp,x\n';
const ROW = 'u,e,2026-01-31T12:00:00Z,';
const times = (count: number, text: string) => Array(count).fill(text).join(',');
const record = (properties: string) => `${event(1).slice(0, -1)},"properties":${properties}}\n`;
const nested = (open: string, close: string) => {
  const depth = Math.floor((RECORD - 200) / (open.length + close.length));
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
};

/** A zstd frame of blocks that repeat a byte (RFC 8878 section 3.1.1.2): 128 KiB in four bytes. */
function zstdRuns(blocks: number, byte: number): Buffer {
  const frame = Buffer.alloc(6 + 4 * blocks, byte);
  frame.writeUInt32LE(0xfd2fb528, 0);
  // A window of 8 MiB, no checksum.
  frame.writeUInt16LE(0x6800, 4);
  for (let n = 0; n < blocks; n++)
    frame.writeUIntLE((n === blocks - 1 ? 1 : 0) | 2 | ((128 * 1024) << 3), 6 + 4 * n, 3);
  return frame;
}

/** Files that are small and cost a naive reader much memory, by their names. Made when they are asked for. */
export const HOSTILE_FILES: Record<string, () => string | Buffer> = {
  'arrays-inside-arrays.ndjson': () => record(`{"a":${nested('[', ']')}}`),
  'objects-inside-objects.ndjson': () => record(`{"a":${nested('{"a":', '}')}}`),
  'arrays-inside-arrays.json': () => `[${nested('[', ']')}]`,
  'many-keys.ndjson': () => record(`{${Array.from({ length: 600_000 }, (_, n) => `"k${n}":1`).join(',')}}`),
  'many-objects.ndjson': () => record(`{"a":[${times(2_500_000, '{}')}]}`),
  'many-texts.ndjson': () => record(`{"a":[${times(1_900_000, '"a"')}]}`),
  'open-objects.json': () => '{"a":'.repeat(2_000_000),
  'long-text.json': () => `[{"userId":"${'x'.repeat(32 * MB)}"}]`,
  'many-columns.csv': () => `${times(1_000_000, 'column')}\n${times(1_000_000, '1')}\n`,
  'most-columns.csv': () => {
    const names = Array.from({ length: 49_996 }, (_, n) => `c${n}`).join(',');
    return `userId,event,timestamp,${names}\n${ROW}${names}\n`;
  },
  'many-cells.csv': () => `${HEADER}${','.repeat(RECORD)}\n`,
  'quoted.csv': () => `${HEADER}${ROW}"${'x\n'.repeat(RECORD / 2 - 100)}"\n`,
  'unclosed.csv': () => `${HEADER}${ROW}"${'x\n'.repeat(700_000)}`,
  'one-line.csv': () => `${HEADER}${'x'.repeat(32 * MB)}`,
  'half-pairs.csv': () =>
    Buffer.concat([Buffer.from(`\uFEFF${HEADER}`, 'utf16le'), Buffer.alloc(8 * MB, Buffer.of(0, 0xd8))]),
  'spaces.ndjson.gz': () => gzipSync(Buffer.alloc(128 * MB, ' ')),
  'members.ndjson.gz': () =>
    Buffer.concat([gzipSync(`${event(1)}\n`), ...Array(100_000).fill(gzipSync(Buffer.alloc(0)))]),
  'runs.ndjson.zst': () => zstdRuns(8000, 0x20),
  'runs.csv.zst': () => zstdRuns(8000, 0x61),
};
