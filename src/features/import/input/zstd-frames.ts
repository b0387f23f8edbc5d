/** Largest window in bytes that RFC 8878 (section 3.1.1.1.2) recommends decoders to support. */
export const MAX_WINDOW = 8 * 1024 * 1024;

/**
 * Parses the headers of frames and blocks in a zstd stream (RFC 8878 section 3.1.1) and reports the window size of the
 * frames. The decoder silently misreads offsets beyond 64 MiB and buffers the whole window, so frames with a large window
 * must be refused before they are decoded.
 */
export class ZstdFrames {
  /** The largest window seen so far, in bytes. */
  window = 0;
  /** The blocks so far: whether each is the last of its frame, and whether the frame has a checksum. */
  readonly blocks: { readonly last: boolean; readonly checked: boolean }[] = [];
  /** The checksums so far: the low 32 bits of the XXH64 of the content of a frame. */
  readonly checksums: number[] = [];
  /** Headers of blocks and of skippable frames that were parsed so far. */
  private seen = 0;
  private state: 'frame' | 'header' | 'block' | 'skip' | 'checksum' = 'frame';
  private readonly held: number[] = [];
  private needed = 4;
  private skip = 0;
  private after: 'frame' | 'block' = 'frame';
  private checksum = false;
  private collecting = false;

  /**
   * Parses the next bytes of the stream from `from` on, at most until `blocks` headers of blocks or skippable frames, and returns where it
   * stopped. The chunks may have any size.
   */
  pushBlocks(bytes: Uint8Array, from: number, blocks: number): number {
    const most = this.seen + blocks;
    let at = from;
    while (at < bytes.length && this.seen < most) {
      if (this.state === 'skip') {
        const count = Math.min(this.skip, bytes.length - at);
        this.skip -= count;
        at += count;
        if (this.skip === 0) this.skipped();
        continue;
      }
      this.held.push(bytes[at++]!);
      if (this.held.length === this.needed) this.complete();
    }
    return at;
  }

  private complete(): void {
    const { held } = this;
    if (this.state === 'frame') {
      // A skippable frame: a magic number, then its length in four bytes.
      const skippable =
        (held[0]! & 0xf0) === 0x50 && held[1] === 0x2a && held[2] === 0x4d && held[3] === 0x18;
      this.state = 'header';
      this.needed = skippable ? 8 : 5;
    } else if (this.state === 'header') this.header();
    else if (this.state === 'block') this.block();
    else {
      this.checksums.push(littleEndian(held, 0, 4));
      this.expect('frame', 4);
    }
  }

  private header(): void {
    const { held } = this;
    if (this.needed === 8 && held[3] === 0x18) {
      this.seen++;
      this.skipBytes(littleEndian(held, 4, 4), 'frame');
      return;
    }
    const descriptor = held[4]!;
    const single = (descriptor & 0x20) !== 0;
    const sizeFlag = descriptor >> 6;
    const sizeBytes = sizeFlag > 0 ? 1 << sizeFlag : single ? 1 : 0;
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
    const length = 5 + (single ? 0 : 1) + dictionaryBytes + sizeBytes;
    if (held.length < length) {
      this.needed = length;
      return;
    }
    this.checksum = (descriptor & 4) !== 0;
    if (single) {
      const size = littleEndian(held, 5 + dictionaryBytes, sizeBytes);
      this.window = Math.max(this.window, size + (sizeFlag === 1 ? 256 : 0));
    } else {
      const base = 2 ** (10 + (held[5]! >> 3));
      this.window = Math.max(this.window, base + (base / 8) * (held[5]! & 7));
    }
    this.expect('block', 3);
  }

  private block(): void {
    const head = littleEndian(this.held, 0, 3);
    const last = (head & 1) !== 0;
    // A run-length block contains one byte, whatever its size field says.
    const size = ((head >> 1) & 3) === 1 ? 1 : head >> 3;
    this.blocks.push({ last, checked: this.checksum });
    this.seen++;
    this.collecting = last && this.checksum;
    this.skipBytes(size, last ? 'frame' : 'block');
  }

  private skipBytes(bytes: number, after: 'frame' | 'block'): void {
    this.held.length = 0;
    this.after = after;
    this.skip = bytes;
    if (bytes > 0) this.state = 'skip';
    else this.skipped();
  }

  private skipped(): void {
    if (this.collecting) {
      this.collecting = false;
      this.expect('checksum', 4);
    } else this.expect(this.after, this.after === 'frame' ? 4 : 3);
  }

  private expect(state: 'frame' | 'block' | 'checksum', bytes: number): void {
    this.held.length = 0;
    this.state = state;
    this.needed = bytes;
  }
}

/** Reads a little-endian number of `count` bytes; exact up to 2^53. */
function littleEndian(bytes: readonly number[], at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
  return value;
}
