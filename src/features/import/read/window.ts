import type { ByteSource } from './bytes.ts';

const LINE_FEED = 0x0a;
/** How much is read at once, in bytes: large enough to be cheap, small enough that sending is never starved. */
const BLOCK = 256 * 1024;

/**
 * A window on the input, moved over it record by record. `buffer[start..end)` is what has been read and not yet
 * consumed. It grows up to the longest record allowed and never beyond. Once the input has ended, a line feed stands
 * at `buffer[end]` if the last line lacks one, so that a scanner always meets one.
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

  constructor(source: ByteSource, longest: number, base = 0, block = BLOCK) {
    this.source = source;
    this.longest = longest;
    this.base = base;
    this.buffer = Buffer.allocUnsafeSlow(block + 1);
  }

  /** Offset in the input of the first byte that is not consumed. */
  get offset(): number {
    return this.base + this.start;
  }

  /** The window is full of one record that is longer than any may be. */
  get full(): boolean {
    return this.end - this.start >= this.longest;
  }

  /** Reads on. Returns false at the end of the input. Whoever points into the buffer must let go before. */
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

  /** Forgets everything up to and without the next line feed; true when there is one in what was read. */
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
