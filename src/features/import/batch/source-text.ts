const INITIAL_CAPACITY = 32 * 1024;
/** Rows with no more bytes between them are copied together. */
const GAP = 8;

/** A record as it was read, where the body of a request holds a converted one. */
export interface SourceRange {
  buffer: Buffer;
  start: number;
  end: number;
}

/**
 * Keeps the rows of a batch as they were read, in case the service refuses them. Rows that follow each other are copied
 * at once.
 */
export class SourceText {
  private bytes: Buffer = Buffer.alloc(0);
  private filled = 0;
  private capacity = INITIAL_CAPACITY;
  private pending: Buffer | undefined;
  private pendingStart = 0;
  private pendingEnd = 0;

  /** Adds a row and returns where it starts. Its bytes are copied by the next `flushPending`. */
  append({ buffer, start, end }: SourceRange): number {
    const gap = start - this.pendingEnd;
    if (this.pending !== buffer || gap < 0 || gap > GAP) {
      this.flushPending();
      this.pending = buffer;
      this.pendingStart = start;
    }
    this.pendingEnd = end;
    return this.filled + start - this.pendingStart;
  }

  /** Copies the pending rows. Call it before their buffer changes. */
  flushPending(): void {
    if (!this.pending) return;
    const length = this.pendingEnd - this.pendingStart;
    if (this.filled + length > this.bytes.length) {
      const size = Math.max(this.filled + length, this.bytes.length * 2, this.capacity);
      const grown = Buffer.allocUnsafeSlow(size);
      this.bytes.copy(grown, 0, 0, this.filled);
      this.bytes = grown;
    }
    this.pending.copy(this.bytes, this.filled, this.pendingStart, this.pendingEnd);
    this.filled += length;
    this.pending = undefined;
  }

  /** Returns the rows of the batch, and starts the next. */
  finish(): Buffer {
    this.flushPending();
    const rows = this.bytes.subarray(0, this.filled);
    // The next batch is probably about as long.
    if (this.filled > 0) this.capacity = Math.max(INITIAL_CAPACITY, Math.ceil(this.filled * 1.05));
    this.bytes = Buffer.alloc(0);
    this.filled = 0;
    return rows;
  }
}
