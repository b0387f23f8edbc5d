const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Copies the JSON in `from[start..end)` to `into` without the white space between its tokens; returns its length. */
function compact(from: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let length = 0;
  let inString = false;
  for (let i = start; i < end; i++) {
    const c = from[i]!;
    if (inString) {
      into[length++] = c;
      if (c === BACKSLASH) into[length++] = from[++i]!;
      else if (c === QUOTE) inString = false;
      continue;
    }
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) continue;
    if (c === QUOTE) inString = true;
    into[length++] = c;
  }
  return length;
}

/** Returns where the byte at `index` of the compacted JSON is in `from`, whose JSON starts at `start`. */
export function originalIndex(from: Uint8Array, start: number, index: number): number {
  let passed = 0;
  let inString = false;
  for (let i = start; ; i++) {
    const c = from[i]!;
    if (!inString && (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09)) continue;
    if (passed === index) return i;
    passed++;
    if (inString && c === BACKSLASH) {
      passed++;
      i++;
    } else if (c === QUOTE) inString = !inString;
  }
}

/** Validates records of several lines as they would be on one. */
export class CompactScan {
  private readonly scan: (bytes: Uint8Array, at: number) => number;
  private scratch = Buffer.allocUnsafeSlow(4096);

  constructor(scan: (bytes: Uint8Array, at: number) => number) {
    this.scan = scan;
  }

  /** Returns whether the record in `buffer[start..end)` is certainly valid. */
  accepts(buffer: Buffer, start: number, end: number): boolean {
    if (this.scratch.length <= end - start) this.scratch = Buffer.allocUnsafeSlow(2 * (end - start));
    const length = compact(buffer, start, end, this.scratch);
    this.scratch[length] = LINE_FEED;
    return this.scan(this.scratch, 0) === length;
  }
}
