import type { FileHandle } from 'node:fs/promises';
import { takePageBuffer } from './page-buffers.ts';

/** Bytes that are read at a time, where a page is not longer. */
const BLOCK = 256 * 1024;

const NONE = Buffer.alloc(0);

/** The bytes of a column in a row group, read as they are needed. Only `whole` may be overwritten. */
export class ChunkBytes {
  /** What was read and is not consumed yet. */
  bytes: Buffer = NONE;
  /** The buffer of what was consumed last, if nothing else was read into it. */
  whole: Uint8Array | undefined;
  /** Nothing of `bytes` was consumed. */
  private untouched = false;
  private readonly file: FileHandle;
  private position: number;
  private readonly end: number;

  constructor(file: FileHandle, start: number, end: number) {
    this.file = file;
    this.position = start;
    this.end = end;
  }

  /** Bytes that are not consumed yet. */
  get left(): number {
    return this.bytes.length + this.end - this.position;
  }

  /** Makes `length` bytes available, or all that are left. Throws if the file ends before. */
  async atLeast(length: number): Promise<void> {
    if (this.bytes.length >= length || this.position >= this.end) return;
    const wanted = Math.min(Math.max(length, BLOCK) - this.bytes.length, this.end - this.position);
    const grown = bufferOf(this.bytes.length + wanted);
    this.bytes.copy(grown);
    for (let at = this.bytes.length; at < grown.length; ) {
      const { bytesRead } = await this.file.read(grown, at, grown.length - at, this.position);
      if (bytesRead === 0) throw new Error('the file is truncated');
      this.position += bytesRead;
      at += bytesRead;
    }
    this.bytes = grown;
    this.untouched = true;
  }

  /** Consumes bytes that are available. */
  take(length: number): Buffer {
    const taken = this.bytes.subarray(0, length);
    const all = length === this.bytes.length;
    this.whole = all && this.untouched ? new Uint8Array(taken.buffer) : undefined;
    this.untouched = false;
    // An empty part would keep what was read in memory.
    this.bytes = all ? NONE : this.bytes.subarray(length);
    return taken;
  }
}

function bufferOf(length: number): Buffer {
  if (length <= BLOCK) return Buffer.allocUnsafeSlow(length);
  return Buffer.from(takePageBuffer(length).buffer, 0, length);
}
