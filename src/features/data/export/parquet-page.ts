import type { ExportColumn, ExportKind } from '../../../contract/export.ts';

/** The physical types of the format (parquet.thrift). */
const TYPE = { integer: 2, double: 5, text: 6 } as const;

/** The values of a column of a row group, before compression. */
export interface EncodedColumn {
  /** Which rows have a value, then the values, or their places in the dictionary. */
  readonly page: Buffer;
  /** The different texts, where they are few; undefined where the page holds the values. */
  readonly dictionary: { readonly page: Buffer; readonly values: number } | undefined;
  readonly nulls: number;
  /** The least and the greatest value, as they are stored, in hexadecimal; of times and whole numbers only. */
  readonly bounds: readonly [string, string] | null;
}

/** Whether a kind is stored as a time. */
export const isTime = (kind: ExportKind) => kind === 'time' || kind === 'instant';

/** Whether a kind is stored as text. */
export const isText = (kind: ExportKind) => typeOf(kind) === TYPE.text;

/** The physical type of a kind. */
export function typeOf(kind: ExportKind): number {
  if (isTime(kind) || kind === 'integer') return TYPE.integer;
  return kind === 'double' ? TYPE.double : TYPE.text;
}

/** Encodes a column of `rows` values in all, which may come in parts. */
export function encodeColumn(parts: readonly ExportColumn[], rows: number, kind: ExportKind): EncodedColumn {
  const nulls = nullsIn(parts);
  const levels = levelsOf(parts, rows, nulls);
  if (!isText(kind)) {
    const { values, bounds } = numberValues(parts, rows - nulls, kind);
    return { page: Buffer.concat([levels, values]), dictionary: undefined, nulls, bounds };
  }
  const found = dictionaryOf(parts, rows - nulls);
  const values = found?.places ?? textValues(parts, rows - nulls);
  return { page: Buffer.concat([levels, values]), dictionary: found?.dictionary, nulls, bounds: null };
}

function nullsIn(parts: readonly ExportColumn[]): number {
  let nulls = 0;
  for (const part of parts) for (let i = 0; i < part.length; i++) if (part[i] === null) nulls++;
  return nulls;
}

/** The definition levels: 1 for a row with a value, in one run if all have one, else a bit each. */
function levelsOf(parts: readonly ExportColumn[], rows: number, nulls: number): Buffer {
  let runs: Buffer;
  if (nulls === 0 || nulls === rows) runs = Buffer.from([...varint(rows * 2), nulls === 0 ? 1 : 0]);
  else {
    const bits = Buffer.alloc(Math.ceil(rows / 8));
    let row = 0;
    for (const part of parts)
      for (let i = 0; i < part.length; i++, row++) if (part[i] !== null) bits[row >> 3]! |= 1 << (row & 7);
    runs = Buffer.concat([Buffer.from(varint(bits.length * 2 + 1)), bits]);
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(runs.length);
  return Buffer.concat([length, runs]);
}

function varint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  return [...out, rest];
}

/** As many different texts, whose places take a byte, have a dictionary. */
const DICTIONARY = 256;

/** The different texts, and the place of each value among them: a byte behind their width. Undefined if they are many. */
function dictionaryOf(parts: readonly ExportColumn[], count: number) {
  if (count === 0) return undefined;
  const known = new Map<ExportColumn[number], number>();
  const places = Buffer.alloc(Math.ceil(count / 8) * 8);
  let at = 0;
  let last: ExportColumn[number] = null;
  let place = 0;
  for (const part of parts)
    for (let i = 0; i < part.length; i++) {
      const value = part[i]!;
      if (value === null) continue;
      if (value !== last) {
        const found = known.get(value);
        place = found ?? known.size;
        if (place === DICTIONARY) return undefined;
        if (found === undefined) known.set(value, place);
        last = value;
      }
      places[at++] = place;
    }
  const texts = [...known.keys()];
  const runs =
    texts.length === 1
      ? Buffer.from([8, ...varint(count * 2), 0])
      : Buffer.concat([Buffer.from([8, ...varint((places.length / 8) * 2 + 1)]), places]);
  return { dictionary: { page: textValues([texts], texts.length), values: texts.length }, places: runs };
}

/** The place of the length before each text. */
const LENGTH = '\0\0\0\0';

/** Each text in UTF-8 after its length. All are encoded at once: a call for each costs more than its bytes. */
function textValues(parts: readonly ExportColumn[], count: number): Buffer {
  const buffers: Buffer[] = [];
  let written = 0;
  for (const part of parts) {
    const values = part.filter((value) => value !== null);
    if (values.length === 0) continue;
    written += values.length;
    const text = LENGTH + values.join(LENGTH);
    const out = Buffer.from(text, 'utf8');
    // Without longer characters, bytes are code units.
    const isAscii = out.length === text.length;
    let at = 0;
    for (const value of values) {
      const own = String(value);
      const length = isAscii ? own.length : Buffer.byteLength(own, 'utf8');
      out[at] = length;
      out[at + 1] = length >>> 8;
      out[at + 2] = length >>> 16;
      out[at + 3] = length >>> 24;
      at += 4 + length;
    }
    buffers.push(out);
  }
  if (written !== count) throw new Error('a column has another number of values than it was counted to have');
  return Buffer.concat(buffers);
}

const TWO_32 = 2 ** 32;
/** Up to here, in ms, the microseconds of a time are a number without loss. */
const EXACT_MS = 9e12;

/** Numbers of 8 bytes: times in microseconds, whole numbers, or doubles. */
function numberValues(
  parts: readonly ExportColumn[],
  count: number,
  kind: ExportKind,
): { values: Buffer; bounds: EncodedColumn['bounds'] } {
  const out = Buffer.allocUnsafe(count * 8);
  const view = new DataView(out.buffer, out.byteOffset, out.length);
  let at = 0;
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isExact = true;
  for (const part of parts)
    for (let i = 0; i < part.length; i++) {
      const value = part[i]!;
      if (value === null) continue;
      if (kind === 'double') view.setFloat64(at, Number(value), true);
      else {
        const ms = kind === 'instant' ? instantOf(String(value)) : Number(value);
        const below = kind === 'instant' ? belowMs(String(value)) : 0;
        if (kind === 'integer' || Math.abs(ms) < EXACT_MS) {
          const whole = kind === 'integer' ? ms : ms * 1000 + below;
          const high = Math.floor(whole / TWO_32);
          view.setUint32(at, whole - high * TWO_32, true);
          view.setInt32(at + 4, high, true);
          if (whole < least) least = whole;
          if (whole > greatest) greatest = whole;
        } else {
          view.setBigInt64(at, BigInt(ms) * 1000n + BigInt(below), true);
          isExact = false;
        }
      }
      at += 8;
    }
  if (kind === 'double' || count === 0) return { values: out, bounds: null };
  const bounds = isExact ? [BigInt(least), BigInt(greatest)] : extremesOf(view);
  return { values: out, bounds: [hexOf(bounds[0]!), hexOf(bounds[1]!)] };
}

/** The least and the greatest of whole numbers of 8 bytes. */
function extremesOf(view: DataView): [bigint, bigint] {
  let least = view.getBigInt64(0, true);
  let greatest = least;
  for (let at = 8; at < view.byteLength; at += 8) {
    const value = view.getBigInt64(at, true);
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

function hexOf(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes.toString('hex');
}

/** The day of the last date-time and its beginning, Unix ms: records beside each other are of the same days. */
let [day, dayMs] = ['', 0];

/** The Unix ms of a date-time in UTC. */
function instantOf(text: string): number {
  const own = text.slice(0, 10);
  if (own !== day) {
    const ms = Date.parse(`${own}T00:00:00Z`);
    if (Number.isNaN(ms)) return Date.parse(text);
    [day, dayMs] = [own, ms];
  }
  const isPlain =
    text.charCodeAt(10) === 0x54 &&
    text.charCodeAt(13) === 0x3a &&
    text.charCodeAt(16) === 0x3a &&
    (text.length === 20 || (text.length === 24 && text.charCodeAt(19) === 0x2e)) &&
    text.charCodeAt(text.length - 1) === 0x5a;
  if (!isPlain) return Date.parse(text);
  const seconds = twoDigits(text, 11, 23) * 3600 + twoDigits(text, 14, 59) * 60 + twoDigits(text, 17, 59);
  const below = text.length === 20 ? 0 : twoDigits(text, 20, 99) * 10 + digit(text, 22);
  // NaN where a character is not a digit, or a part too large.
  return Number.isNaN(seconds + below) ? Date.parse(text) : dayMs + seconds * 1000 + below;
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 0x30;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

function twoDigits(text: string, at: number, most: number): number {
  const value = digit(text, at) * 10 + digit(text, at + 1);
  return value <= most ? value : Number.NaN;
}

/** The microseconds of a date-time in UTC below its milliseconds; what is below them is cut off. */
const belowMs = (text: string): number =>
  text.length > 24 ? Number(text.slice(23, 26).replace('Z', '').padEnd(3, '0')) : 0;
