/** The largest page after decompression, in bytes. DuckDB writes up to 100 MB. */
export const MAX_PAGE_BYTES = 256 * 1024 * 1024;
/** The most values in a page: runs of one value need no bytes for more. */
export const MAX_PAGE_VALUES = 16 * 1024 * 1024;
/** The most memory that the decoded pages of all columns of a row group may need, in bytes. */
const MAX_HELD = 512 * 1024 * 1024;

/** Counts the memory that decoded pages need, so that a small file does not fill the memory of the machine. */
export class HeldMemory {
  private held = 0;

  /** Counts `now` bytes in place of `before`. Throws if that is too much. */
  replace(before: number, now: number): void {
    this.held += now - before;
    if (this.held > MAX_HELD) throw new Error('its pages are too large to be decoded in memory');
  }
}
