import type { ByteSource } from './bytes.ts';

const LINE_FEED = 0x0a;
/** Bytes per read: large enough to be cheap, small enough not to delay requests. */
const BLOCK = 256 * 1024;

/**
 * A buffer that slides over the input. `buffer[start..end)` was read and is not consumed yet. It grows up to the longest
 * record. At the end of the input, `buffer[end]` is a line feed, so that a scanner always finds one.
 */
export class Window {
  buffer: Buffer;
  start = 0;
  end = 0;
  ended = false;
  /** Offset in the input of `buffer[0]`. */
  base: number;
  private readonly source: ByteSource;
  private readonly longest: number;

  /** `block`: how much is read first, in bytes; less than otherwise suits a small input. */
  constructor(source: ByteSource, longest: number, base = 0, block = BLOCK) {
    this.source = source;
    this.longest = longest;
    this.base = base;
    this.buffer = Buffer.allocUnsafeSlow(Math.min(block, BLOCK) + 1);
  }

  /** Offset in the input of the first byte that was not consumed. */
  get offset(): number {
    return this.base + this.start;
  }

  /** The window is filled by a record that is too long. */
  get full(): boolean {
    return this.end - this.start >= this.longest;
  }

  /** Reads more bytes. Returns false at the end of the input. Invalidates references into the buffer. */
  async more(): Promise<boolean> {
    this.shift();
    const room = this.buffer.length - 1 - this.end;
    const count = await this.source.read(this.buffer, this.end, room);
    if (count > 0) {
      this.end += count;
      return true;
    }
    this.ended = true;
    this.buffer[this.end] = LINE_FEED;
    return false;
  }

  /** Drops the bytes before the next line feed, or all bytes; returns whether there is a line feed. */
  dropLine(): boolean {
    const feed = this.buffer.subarray(this.start, this.end).indexOf(LINE_FEED);
    this.start = feed < 0 ? this.end : this.start + feed;
    return feed >= 0;
  }

  private shift(): void {
    if (this.start > 0) {
      this.buffer.copyWithin(0, this.start, this.end);
      this.base += this.start;
      this.end -= this.start;
      this.start = 0;
    }
    if (this.end < this.buffer.length - 1) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(this.buffer.length * 2, this.longest + BLOCK) + 1);
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
  }
}

/** Returns the index after the last complete character in the window. */
export function charactersEnd({ buffer, start, end }: Window): number {
  let at = end;
  while (at > start && at > end - 4 && (buffer[at - 1]! & 0xc0) === 0x80) at--;
  if (at === start || buffer[at - 1]! < 0xc0) return end;
  const first = buffer[at - 1]!;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return at - 1 + length <= end ? end : at - 1;
}
