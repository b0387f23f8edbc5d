import { isUtcDateTime } from '../../../contract/timestamp.ts';

const Z = 0x5a;
/** Longest time: `YYYY-MM-DDThh:mm:ss.fffffffffZ`. */
const LONGEST = 30;

/** The first and the last time of records, in any order. */
export class TimeSpan {
  private readonly earliest = Buffer.alloc(LONGEST);
  private readonly latest = Buffer.alloc(LONGEST);
  private found = false;
  private earliestSecond = Number.POSITIVE_INFINITY;
  private latestSecond = Number.NEGATIVE_INFINITY;

  /** The time as it was sent; null if there is none. */
  get first(): string | null {
    return this.found ? textOf(this.earliest) : null;
  }

  get last(): string | null {
    return this.found ? textOf(this.latest) : null;
  }

  /** Adds the UTC date-time that starts at `at`. */
  add(bytes: Uint8Array, at: number): void {
    const second = secondAt(bytes, at);
    const { earliestSecond, latestSecond, earliest, latest } = this;
    if (second > earliestSecond && second < latestSecond) return;
    this.found = true;
    if (second > latestSecond || (second === latestSecond && compare(bytes, at, latest) > 0)) {
      this.latestSecond = second;
      copy(bytes, at, latest);
    }
    if (second < earliestSecond || (second === earliestSecond && compare(bytes, at, earliest) < 0)) {
      this.earliestSecond = second;
      copy(bytes, at, earliest);
    }
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

/** The digits of a date-time without its fraction, as one number. */
function secondAt(bytes: Uint8Array, at: number): number {
  const date =
    ((two(bytes, at) * 100 + two(bytes, at + 2)) * 100 + two(bytes, at + 5)) * 100 + two(bytes, at + 8);
  const time = (two(bytes, at + 11) * 100 + two(bytes, at + 14)) * 100 + two(bytes, at + 17);
  return date * 1_000_000 + time;
}

function two(bytes: Uint8Array, at: number): number {
  return (bytes[at]! - 0x30) * 10 + bytes[at + 1]! - 0x30;
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
