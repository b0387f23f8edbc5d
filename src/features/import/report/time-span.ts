import { isUtcDateTime } from '../../../contract/timestamp.ts';

const Z = 0x5a;
/** Longest time: `YYYY-MM-DDThh:mm:ss.fffffffffZ`. */
const LONGEST = 30;

/** The first and the last time of records, in any order. */
export class TimeSpan {
  private readonly earliest = Buffer.alloc(LONGEST);
  private readonly latest = Buffer.alloc(LONGEST);
  private found = false;

  /** The time as it was sent; null if there is none. */
  get first(): string | null {
    return this.found ? textOf(this.earliest) : null;
  }

  get last(): string | null {
    return this.found ? textOf(this.latest) : null;
  }

  /** Adds the UTC date-time that starts at `at`. */
  add(bytes: Uint8Array, at: number): void {
    if (!this.found) {
      this.found = true;
      copy(bytes, at, this.earliest);
      copy(bytes, at, this.latest);
    } else if (compare(bytes, at, this.latest) > 0) copy(bytes, at, this.latest);
    else if (compare(bytes, at, this.earliest) < 0) copy(bytes, at, this.earliest);
  }

  /** Adds the timestamp of a record, which must be valid JSON; another value than a UTC date-time is ignored. */
  addRecord(text: string): void {
    const { timestamp } = JSON.parse(text) as { timestamp?: unknown };
    if (typeof timestamp === 'string' && isUtcDateTime(timestamp)) this.add(Buffer.from(timestamp), 0);
  }

  /** Adds the times of another span. */
  merge({ first, last }: TimeSpan): void {
    for (const time of [first, last]) if (time !== null) this.add(Buffer.from(time), 0);
  }
}

/** Compares two UTC date-times; `Z` ends one, and sorts before the digits of a fraction. */
function compare(bytes: Uint8Array, at: number, other: Uint8Array): number {
  for (let i = 0; i < LONGEST; i++) {
    const a = bytes[at + i]!;
    const b = other[i]!;
    if (a !== b) return a === Z ? -1 : b === Z ? 1 : a - b;
    if (a === Z) return 0;
  }
  return 0;
}

function copy(bytes: Uint8Array, at: number, into: Uint8Array): void {
  for (let i = 0; i < LONGEST; i++) {
    const byte = bytes[at + i]!;
    into[i] = byte;
    if (byte === Z) return;
  }
}

function textOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, bytes.indexOf(Z) + 1);
}
