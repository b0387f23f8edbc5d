import type { ByteSource } from './bytes.ts';

/** The first size of the buffer in bytes: an archive may have many small files. */
const INITIAL = 4096;

/** A source whose beginning can be seen before it is read. */
export class Head implements ByteSource {
  /** No more can be read. */
  ended = false;
  private readonly source: ByteSource;
  private readonly capacity: number;
  private buffer: Buffer;
  private filled = 0;
  private served = 0;

  constructor(source: ByteSource, capacity: number) {
    this.source = source;
    this.capacity = capacity;
    this.buffer = Buffer.allocUnsafe(Math.min(INITIAL, capacity));
  }

  /** The bytes that are known. */
  get bytes(): Buffer {
    return this.buffer.subarray(0, this.filled);
  }

  /** No more of the beginning can be seen. */
  get full(): boolean {
    return this.filled === this.capacity;
  }

  /** Waits for at least `count` bytes, unless the source ends before. */
  async atLeast(count: number): Promise<void> {
    while (this.filled < count && !this.ended) await this.more();
  }

  /** Waits for more bytes. */
  async more(): Promise<void> {
    if (this.filled === this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.buffer.length * 4, this.capacity));
      this.buffer.copy(grown);
      this.buffer = grown;
    }
    const count = await this.source.read(this.buffer, this.filled, this.buffer.length - this.filled);
    this.filled += count;
    this.ended ||= count === 0;
  }

  async read(into: Buffer, at: number, length: number): Promise<number> {
    if (this.served === this.filled) return this.source.read(into, at, length);
    const count = this.buffer.copy(into, at, this.served, Math.min(this.served + length, this.filled));
    this.served += count;
    return count;
  }

  close(): Promise<void> {
    return this.source.close();
  }
}
