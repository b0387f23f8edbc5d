/** The largest page before and after decompression, in bytes. DuckDB writes up to 100 MiB, and the value that exceeds it. */
export const MAX_PAGE_BYTES = 112 * 1024 * 1024;
/** The most values in a page: runs of one value need no bytes for more. */
export const MAX_PAGE_VALUES = 16 * 1024 * 1024;
/** The most memory that the pages of all columns of a row group may need while they are decoded, in bytes. */
const MAX_HELD = 144 * 1024 * 1024;

/** Memory of an array or of the bytes of a value, which is an object. */
export const OBJECT_BYTES = 96;

/** Estimates the memory of a value and of all in it, in bytes; buffers in `counted` are not counted again. */
export function memoryOfValue(value: unknown, counted: Set<ArrayBufferLike>): number {
  if (typeof value === 'string') return OBJECT_BYTES + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 16;
  if (ArrayBuffer.isView(value)) {
    // A part of a page keeps the whole page in memory.
    const bytes = counted.has(value.buffer) ? 0 : value.buffer.byteLength;
    counted.add(value.buffer);
    return OBJECT_BYTES + bytes;
  }
  let sum = OBJECT_BYTES;
  for (const part of Object.values(value)) sum += 16 + memoryOfValue(part, counted);
  return sum;
}

/** A file whose pages need too much memory together; smaller row groups have smaller pages. */
export class PagesTooLarge extends Error {}

/** Counts the memory that decoded pages need, so that a small file does not fill the memory of the machine. */
export class HeldMemory {
  private held = 0;

  /** Counts `now` bytes in place of `before`. Throws if that is too much. */
  replace(before: number, now: number): void {
    this.held += now - before;
    if (this.held > MAX_HELD)
      throw new PagesTooLarge(`its pages need more than ${MAX_HELD / 1024 / 1024} MiB of memory together`);
  }
}
