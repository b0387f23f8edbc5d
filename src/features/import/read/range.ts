import { type FileHandle, open } from 'node:fs/promises';
import type { ByteSource } from './bytes.ts';

const LINE_FEED = 0x0a;
const BLOCK = 256 * 1024;

/** One of `of` equal parts, `take` from 0. */
export interface Part {
  readonly take: number;
  readonly of: number;
}

/** Where a part of a file of `size` bytes begins and ends, in bytes. */
export function rangeOf(part: Part, size: number): { from: number; to: number } {
  return {
    from: Math.floor((size * part.take) / part.of),
    to: Math.floor((size * (part.take + 1)) / part.of),
  };
}

/**
 * The lines of a file that begin in `[from, to)`. The parts of a file share no line and leave none out, wherever
 * their borders fall.
 */
export async function linesWithin(
  path: string,
  from: number,
  to: number,
): Promise<{ source: ByteSource; start: number }> {
  const file = await open(path, 'r');
  // The line behind the first line feed from `from - 1` on is the first that begins in the range.
  const start = from === 0 ? 0 : await behindLineFeed(file, from - 1);
  const end = to === 0 ? 0 : await behindLineFeed(file, to - 1);
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

async function behindLineFeed(file: FileHandle, from: number): Promise<number> {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let position = from; ; ) {
    const { bytesRead } = await file.read(block, 0, BLOCK, position);
    if (bytesRead === 0) return position;
    const feed = block.subarray(0, bytesRead).indexOf(LINE_FEED);
    if (feed >= 0) return position + feed + 1;
    position += bytesRead;
  }
}

/** Line feeds before `offset`: what to add to a line number counted from there. */
export async function linesBefore(path: string, offset: number): Promise<number> {
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
