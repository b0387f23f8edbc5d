import type { Clock } from '../../../kit/clock.ts';
import type { ByteSource } from './bytes.ts';

const LINE_FEED = 0x0a;
const CAPACITY = 1024 * 1024;

/** When the head of a pipe is complete. */
export interface HeadLimits {
  readonly lines: number;
  /** The longest wait for more bytes, in milliseconds. */
  readonly wait: number;
  readonly clock: Clock;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Reads the beginning of a pipe, and then yields all of it: the beginning is kept until it has been read again. */
export class PipeHead implements ByteSource {
  private readonly source: ByteSource;
  private buffer = Buffer.allocUnsafeSlow(CAPACITY);
  private filled = 0;
  private served = 0;
  /** A read into the buffer that has not finished. */
  private pending: Promise<void> | undefined;
  ended = false;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** The bytes that arrived so far. */
  get head(): Buffer {
    return this.buffer.subarray(0, this.filled);
  }

  /** Reads at most 1 MiB, as many lines as wanted, or what arrives in time. */
  async fill({ lines, wait, clock, signal }: HeadLimits): Promise<void> {
    const over = new AbortController();
    const pause = clock
      .sleep(wait, AbortSignal.any([over.signal, signal]))
      .then(() => 'due' as const)
      .catch(() => 'due' as const);
    let missing = lines;
    try {
      while (!this.ended && this.filled < CAPACITY && missing > 0) {
        const from = this.filled;
        this.pending ??= this.more();
        if ((await Promise.race([this.pending, pause])) === 'due') return;
        for (let i = from; i < this.filled; i++) if (this.buffer[i] === LINE_FEED) missing--;
      }
    } finally {
      over.abort();
    }
  }

  async read(into: Buffer, at: number, length: number): Promise<number> {
    if (this.served === this.filled && this.pending) await this.pending;
    const count = Math.min(length, this.filled - this.served);
    if (count > 0) {
      this.buffer.copy(into, at, this.served, this.served + count);
      this.served += count;
      return count;
    }
    if (this.ended) return 0;
    this.buffer = Buffer.alloc(0);
    this.filled = 0;
    this.served = 0;
    return this.source.read(into, at, length);
  }

  close(): Promise<void> {
    this.pending?.catch(() => undefined);
    return this.source.close();
  }

  private more(): Promise<void> {
    return this.source.read(this.buffer, this.filled, CAPACITY - this.filled).then((count) => {
      this.pending = undefined;
      this.filled += count;
      this.ended = count === 0;
    });
  }
}
