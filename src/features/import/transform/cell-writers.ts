import { stopBytes } from './scan-event.ts';

/** Writes JSON text to `out` at `at`; returns the index after it, or -1. */
export type CellWriter = (
  bytes: Buffer,
  start: number,
  end: number,
  doubled: boolean,
  out: Buffer,
  at: number,
) => number;

/** Bound here: in the bundle, an imported value is read through a getter. */
const STOP = stopBytes();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** Longest text of a field in bytes that is certainly within the contract's 256 characters. */
const MAX_NAME_BYTES = 256;
/** No integer of as many digits is beyond 2^53. */
const MAX_DIGITS = 15;
/** What follows the backslash in the short escapes of JSON, by control character. */
const ESCAPES: Readonly<Record<number, number>> = { 8: 0x62, 9: 0x74, 10: 0x6e, 12: 0x66, 13: 0x72 };
const HEX = Buffer.from('0123456789abcdef');
const BOOLEANS = [Buffer.from('true'), Buffer.from('false')];

/** Copies a few bytes, which is faster than a call of `Buffer.copy`. */
export function put(text: Uint8Array, out: Buffer, at: number): number {
  for (let i = 0; i < text.length; i++) out[at + i] = text[i]!;
  return at + text.length;
}

/** Writes a field: a text that is neither empty, nor long, nor has to be escaped. */
export const writeName: CellWriter = (bytes, start, end, doubled, out, at) => {
  if (doubled || end - start > MAX_NAME_BYTES) return -1;
  let o = at;
  out[o++] = QUOTE;
  for (let i = start; i < end; i++) {
    const c = bytes[i]!;
    if (STOP[c] !== 0) return -1;
    out[o++] = c;
  }
  out[o++] = QUOTE;
  return o;
};

/** Writes a text, escaped as by JSON.stringify. `doubled`: each quote in it is doubled. */
export const writeText: CellWriter = (bytes, start, end, doubled, out, at) => {
  let o = at;
  out[o++] = QUOTE;
  for (let i = start; i < end; i++) {
    const c = bytes[i]!;
    if (STOP[c] === 0) {
      out[o++] = c;
      continue;
    }
    if (c === 0) return -1;
    out[o++] = BACKSLASH;
    if (c === QUOTE || c === BACKSLASH) {
      out[o++] = c;
      if (c === QUOTE && doubled) i++;
    } else o = escapeControl(c, out, o);
  }
  out[o++] = QUOTE;
  return o;
};

function escapeControl(control: number, out: Buffer, at: number): number {
  let o = at;
  const short = ESCAPES[control];
  if (short !== undefined) {
    out[o++] = short;
    return o;
  }
  out[o++] = 0x75;
  out[o++] = ZERO;
  out[o++] = ZERO;
  out[o++] = HEX[control >> 4]!;
  out[o++] = HEX[control & 15]!;
  return o;
}

/** Writes a number without an exponent as it is spelled, if it is as short as most. */
export const writeNumber: CellWriter = (bytes, start, end, _, out, at) => {
  if (end - start > MAX_DIGITS) return -1;
  let i = bytes[start] === MINUS ? start + 1 : start;
  const first = bytes[i]!;
  if (i === end || first < ZERO || first > NINE) return -1;
  i++;
  if (first !== ZERO) while (i < end && isDigit(bytes[i]!)) i++;
  if (i < end) {
    if (bytes[i] !== POINT || ++i === end) return -1;
    while (i < end && isDigit(bytes[i]!)) i++;
    if (i < end) return -1;
  }
  for (let k = start, o = at; k < end; k++) out[o++] = bytes[k]!;
  return at + end - start;
};

function isDigit(c: number): boolean {
  return c >= ZERO && c <= NINE;
}

export const writeBoolean: CellWriter = (bytes, start, end, _, out, at) => {
  for (const text of BOOLEANS) if (isText(bytes, start, end, text)) return put(text, out, at);
  return -1;
};

/** Returns whether the bytes are those of a text. */
export function isText(bytes: Buffer, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false;
  return true;
}

/** Writes what a function makes of the text of a cell; undefined if it cannot be written. */
export function writerOf(json: (cell: string) => string | undefined): CellWriter {
  return (bytes, start, end, doubled, out, at) => {
    const raw = bytes.toString('utf8', start, end);
    const text = json(doubled ? raw.replaceAll('""', '"') : raw);
    return text === undefined ? -1 : at + out.write(text, at);
  };
}

/** Uses the second writer for what the first cannot write. */
export function either(first: CellWriter, second: CellWriter): CellWriter {
  return (bytes, start, end, doubled, out, at) => {
    const done = first(bytes, start, end, doubled, out, at);
    return done < 0 ? second(bytes, start, end, doubled, out, at) : done;
  };
}
