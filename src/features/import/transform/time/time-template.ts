import { dateTimeEnd } from '../scan-event.ts';

const QUOTE = 0x22;
const SPACE = 0x20;
const T = 0x54;
const Z = 0x5a;
/** Characters of the longest time, with nine digits below a second. */
const LONGEST = 30;

/** Writes the text of a time in `bytes[start..end)` to `out` at `at` as JSON in UTC; returns the index after it, or -1. */
export type TimeWriter = (bytes: Buffer, start: number, end: number, out: Buffer, at: number) => number;

/** A part of a format: digits of a time, or text. */
export interface TemplatePart {
  /** The name of the token, such as `YYYY`; undefined for text. */
  readonly token: string | undefined;
  readonly text: string;
  readonly length: number;
}

/** The places of the tokens in `YYYY-MM-DDThh:mm:ss`. */
const PLACES: Readonly<Record<string, number>> = { YYYY: 0, MM: 5, DD: 8, HH: 11, mm: 14, ss: 17, S: 20 };
const FORM = '0000-00-00T00:00:00';

/**
 * Compiles a format whose tokens all have a fixed width to a writer that moves the digits; undefined for other formats.
 * A text that it does not accept may still have the format: it may have spaces around it, or more digits of a second.
 * `compact`: the year must be from 1900 to 2199, as other digits touch it.
 */
export function timeTemplate(parts: readonly TemplatePart[], compact: boolean): TimeWriter | undefined {
  const from: number[] = [];
  const to: number[] = [];
  const texts: (readonly [index: number, byte: number])[] = [];
  let length = 0;
  let fraction = 0;
  for (const { token, text, length: width } of parts) {
    const place = token === undefined ? undefined : PLACES[token];
    const literal = token === 'Z' || token === 'ZZ' ? 'Z' : token === undefined ? text : undefined;
    if (place === undefined && literal === undefined) return undefined;
    if (token === 'S') fraction = width;
    for (let i = 0; place !== undefined && i < width; i++) {
      from.push(length + i);
      to.push(place + i);
    }
    for (const [i, byte] of Buffer.from(literal ?? '').entries()) texts.push([length + i, byte]);
    length += literal === undefined ? width : Buffer.byteLength(literal);
  }
  const form = Buffer.from(`"${FORM}${fraction === 0 ? '' : `.${'0'.repeat(fraction)}`}Z"`);
  const source = Int32Array.from(from);
  const target = Int32Array.from(to, (place) => place + 1);
  const textAt = Int32Array.from(texts, ([index]) => index);
  const textBytes = Uint8Array.from(texts, ([, byte]) => byte);
  return (bytes, start, end, out, at) => {
    if (end - start !== length) return -1;
    for (let i = 0; i < textAt.length; i++) if (bytes[start + textAt[i]!] !== textBytes[i]) return -1;
    for (let i = 0; i < form.length; i++) out[at + i] = form[i]!;
    for (let i = 0; i < source.length; i++) out[at + target[i]!] = bytes[start + source[i]!]!;
    if (compact && !isRecent(out[at + 1]!, out[at + 2]!)) return -1;
    return endOf(out, at, form.length);
  };
}

/** Returns the index after the `length` bytes from `at` if they are a time in UTC, or -1. */
function endOf(out: Buffer, at: number, length: number): number {
  return dateTimeEnd(out, at) === at + length ? at + length : -1;
}

/** Returns whether a year that begins with these digits is from 1900 to 2199. */
function isRecent(first: number, second: number): boolean {
  return (first === 0x31 && second === 0x39) || (first === 0x32 && (second === 0x30 || second === 0x31));
}

/** Writes a time that is in the form of the API already. */
export const copyUtc: TimeWriter = (bytes, start, end, out, at) => {
  if (end - start > LONGEST) return -1;
  let o = at;
  out[o++] = QUOTE;
  for (let i = start; i < end; i++) out[o++] = bytes[i]!;
  out[o++] = QUOTE;
  return endOf(out, at, o - at);
};

/** Writes `YYYY-MM-DD hh:mm:ss`, also with a `T`, a fraction of a second or a `Z`; without a zone it is in UTC. */
export function copyIso(onZoneless: (() => void) | undefined): TimeWriter {
  return (bytes, start, end, out, at) => {
    const length = end - start;
    if (length < 19 || length > LONGEST) return -1;
    const separator = bytes[start + 10];
    if (separator !== SPACE && separator !== T) return -1;
    let o = at;
    out[o++] = QUOTE;
    for (let i = start; i < end; i++) out[o++] = bytes[i]!;
    out[at + 11] = T;
    const zoneless = bytes[end - 1] !== Z;
    if (zoneless) out[o++] = Z;
    out[o++] = QUOTE;
    const done = endOf(out, at, o - at);
    if (zoneless && done > 0) onZoneless?.();
    return done;
  };
}
