import { type FileHandle, open } from 'node:fs/promises';
import type { Shard } from '../record/shard.ts';
import type { ByteSource } from './bytes.ts';

const LINE_FEED = 0x0a;
const BLOCK = 256 * 1024;

/** Returns the byte range of a shard of a file. */
export function rangeOf(shard: Shard, size: number): { from: number; to: number } {
  return {
    from: Math.floor((size * shard.index) / shard.count),
    to: Math.floor((size * (shard.index + 1)) / shard.count),
  };
}

/**
 * Opens the lines of a file that start in `[from, to)`. Each line of a file belongs to exactly one shard.
 */
export async function linesWithin(
  path: string,
  from: number,
  to: number,
): Promise<{ source: ByteSource; start: number }> {
  const file = await open(path, 'r');
  // The first line that starts in the range follows the first line feed at or after `from - 1`.
  const start = from === 0 ? 0 : await afterLineFeed(file, from - 1);
  const end = to === 0 ? 0 : await afterLineFeed(file, to - 1);
  let position = start;
  return {
    start,
    source: {
      async read(into, at, length) {
        const wanted = Math.min(length, end - position);
        if (wanted <= 0) return 0;
        const { bytesRead } = await file.read(into, at, wanted, position);
        position += bytesRead;
        return bytesRead;
      },
      close: () => file.close(),
    },
  };
}

async function afterLineFeed(file: FileHandle, from: number): Promise<number> {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let position = from; ; ) {
    const { bytesRead } = await file.read(block, 0, BLOCK, position);
    if (bytesRead === 0) return position;
    const feed = block.subarray(0, bytesRead).indexOf(LINE_FEED);
    if (feed >= 0) return position + feed + 1;
    position += bytesRead;
  }
}

/** Returns a function that counts the lines of a file before an offset, on its first call. */
export function countLinesBefore(path: string | null, start: number): () => Promise<number> {
  let lines: Promise<number> | undefined;
  return () => {
    lines ??= start === 0 ? Promise.resolve(0) : linesBefore(path!, start);
    return lines;
  };
}

/** Counts the line feeds before `offset`. */
async function linesBefore(path: string, offset: number): Promise<number> {
  const file = await open(path, 'r');
  try {
    const block = Buffer.allocUnsafe(BLOCK);
    let count = 0;
    for (let position = 0; position < offset; ) {
      const { bytesRead } = await file.read(block, 0, Math.min(BLOCK, offset - position), position);
      if (bytesRead === 0) break;
      for (let i = 0; i < bytesRead; i++) if (block[i] === LINE_FEED) count++;
      position += bytesRead;
    }
    return count;
  } finally {
    await file.close();
  }
}
