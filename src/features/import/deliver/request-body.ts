import { MAX_BODY_BYTES } from '../../../contract/limits.ts';
import type { RecordKind } from '../record/record-kind.ts';

const SUFFIX = Buffer.from(']}');
const INITIAL_CAPACITY = 64 * 1024;
const COMMA = 0x2c;

/** The longest record that fits into a request, in bytes. */
export function longestRecord(kind: RecordKind): number {
  return MAX_BODY_BYTES - prefixOf(kind).length - SUFFIX.length;
}

function prefixOf(kind: RecordKind): Buffer {
  return Buffer.from(`{"${kind}":[`);
}

/**
 * Builds request bodies, `{"events":[…]}`. Records that are adjacent in the input are copied together: the line feed
 * between them becomes the comma of the array.
 */
export class RequestBody {
  private readonly prefix: Buffer;
  private body: Buffer = Buffer.alloc(0);
  private filled = 0;
  private capacity = INITIAL_CAPACITY;

  // Adjacent records of the input that are not copied yet.
  private pending: Buffer | undefined;
  private pendingStart = 0;
  private pendingEnd = 0;

  constructor(kind: RecordKind) {
    this.prefix = prefixOf(kind);
  }

  /** Starts an empty body. */
  start(): void {
    this.body = Buffer.allocUnsafeSlow(this.capacity);
    this.prefix.copy(this.body);
    this.filled = this.prefix.length;
  }

  /** True if a record of `length` bytes fits into the body. */
  fits(length: number): boolean {
    const pending = this.pending ? this.pendingEnd - this.pendingStart + 1 : 0;
    return this.filled + pending + length + 1 + SUFFIX.length <= MAX_BODY_BYTES;
  }

  /**
   * Appends the record in `buffer[start..end)` and returns its offset in the body. The byte before an adjacent record
   * is overwritten. The bytes of the record are copied by the next `flushPending`.
   */
  append(buffer: Buffer, start: number, end: number): number {
    if (this.pending === buffer && this.pendingEnd + 1 === start) buffer[this.pendingEnd] = COMMA;
    else {
      this.flushPending();
      this.pending = buffer;
      this.pendingStart = start;
    }
    this.pendingEnd = end;
    return this.filled + (this.filled > this.prefix.length ? 1 : 0) + start - this.pendingStart;
  }

  /** Copies the pending records. Call it before their buffer changes. */
  flushPending(): void {
    if (!this.pending) return;
    const length = this.pendingEnd - this.pendingStart;
    const comma = this.filled > this.prefix.length ? 1 : 0;
    this.reserve(this.filled + comma + length + SUFFIX.length);
    if (comma) this.body[this.filled++] = COMMA;
    this.pending.copy(this.body, this.filled, this.pendingStart, this.pendingEnd);
    this.filled += length;
    this.pending = undefined;
  }

  /** Completes the body and returns it. */
  finish(): Buffer {
    this.flushPending();
    this.reserve(this.filled + SUFFIX.length);
    SUFFIX.copy(this.body, this.filled);
    const length = this.filled + SUFFIX.length;
    // The next body is probably about as long.
    this.capacity = Math.max(INITIAL_CAPACITY, Math.ceil(length * 1.05));
    return this.body.subarray(0, length);
  }

  private reserve(bytes: number): void {
    if (bytes <= this.body.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(this.body.length * 2, MAX_BODY_BYTES)));
    this.body.copy(grown, 0, 0, this.filled);
    this.body = grown;
  }
}
