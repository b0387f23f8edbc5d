/**
 * Validates an event in one pass over its bytes, without decoding or parsing it. This is the hot path of the import.
 *
 * `scanEvent` accepts an event only if it is certainly valid. Rare and difficult cases (exponents, surrogate escapes,
 * escaped names, many properties, long strings) are left to the schema of the contract (validate.ts). A property test
 * verifies that both agree.
 */

import { MAX_EVENT_ID } from '../../../../contract/limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const MINUS = 0x2d;
const DOT = 0x2e;

/** Longest name in bytes that is certainly within the contract's 256 characters. */
const MAX_NAME_BYTES = 256;
/** More properties than this are left to the schema: names are compared pair by pair. */
const MAX_NAMES = 32;
/** A number with more digits may be beyond a double; the schema decides. */
const MAX_DIGITS = 300;

const USER_ID = 1;
const EVENT = 2;
const TIMESTAMP = 4;
const PROPERTIES = 8;
const EVENT_ID = 16;
const REQUIRED = USER_ID | EVENT | TIMESTAMP;

/** Returns a table with 1 for the bytes that end the fast scan of a string: control characters, the quote, the backslash. */
function stopBytes(): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(1, 0, 0x20);
  table[QUOTE] = 1;
  table[BACKSLASH] = 1;
  return table;
}

const STOP = stopBytes();

/** What the last successful scan found. */
export const scanned = {
  /** Index of the first character of the timestamp. */
  timestamp: -1,
};

const nameStart = new Int32Array(MAX_NAMES);
const nameEnd = new Int32Array(MAX_NAMES);
const DAYS = Uint8Array.of(0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(`${text}"`, 'latin1'));
}
const N_USER_ID = bytesOf('userId');
const N_EVENT = bytesOf('event');
const N_TIMESTAMP = bytesOf('timestamp');
const N_PROPERTIES = bytesOf('properties');
const N_EVENT_ID = bytesOf('eventId');

/**
 * Scans the event in `b` at `at`. The bytes must be valid UTF-8 with a line feed after the record, which stops the scan,
 * so no bounds are checked.
 *
 * @returns the index after the closing brace of a valid event, or -1 if the schema must decide.
 */
export function scanEvent(b: Uint8Array, at: number): number {
  let i = skipWhitespace(b, at);
  if (b[i++] !== OPEN_BRACE) return -1;
  let seen = 0;
  for (;;) {
    i = skipWhitespace(b, i);
    if (b[i++] !== QUOTE) return -1;
    const field = fieldAt(b, i);
    if (field === 0 || (seen & field) !== 0) return -1;
    seen |= field;
    i = skipWhitespace(b, i + lengthOf(field));
    if (b[i++] !== COLON) return -1;
    i = skipWhitespace(b, i);
    if (field === PROPERTIES) i = properties(b, i);
    else if (field === TIMESTAMP) {
      scanned.timestamp = i + 1;
      i = dateTimeEnd(b, i);
    } else i = name(b, i, field === EVENT_ID ? MAX_EVENT_ID : MAX_NAME_BYTES);
    if (i < 0) return -1;
    i = skipWhitespace(b, i);
    const c = b[i++];
    if (c === COMMA) continue;
    if (c !== CLOSE_BRACE) return -1;
    return (seen & REQUIRED) === REQUIRED ? i : -1;
  }
}

/** Skips the white space of JSON, but not the line feed, which ends a record. */
function skipWhitespace(b: Uint8Array, at: number): number {
  let i = at;
  let c = b[i];
  while (c === 0x20 || c === 0x09 || c === 0x0d) c = b[++i];
  return i;
}

function fieldAt(b: Uint8Array, i: number): number {
  switch (b[i]) {
    case 0x75:
      return matches(b, i, N_USER_ID) ? USER_ID : 0;
    case 0x65:
      return matches(b, i, N_EVENT) ? EVENT : matches(b, i, N_EVENT_ID) ? EVENT_ID : 0;
    case 0x74:
      return matches(b, i, N_TIMESTAMP) ? TIMESTAMP : 0;
    case 0x70:
      return matches(b, i, N_PROPERTIES) ? PROPERTIES : 0;
    default:
      return 0;
  }
}

function lengthOf(field: number): number {
  if (field === USER_ID) return N_USER_ID.length;
  if (field === EVENT) return N_EVENT.length;
  if (field === EVENT_ID) return N_EVENT_ID.length;
  return field === TIMESTAMP ? N_TIMESTAMP.length : N_PROPERTIES.length;
}

function matches(b: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (b[at + i] !== text[i]) return false;
  return true;
}

/** Scans a string that is neither empty nor too long. Returns the index after it, or -1. */
function name(b: Uint8Array, at: number, most: number): number {
  if (b[at] !== QUOTE) return -1;
  const end = string(b, at + 1);
  const length = end - at - 2;
  return length > 0 && length <= most ? end : -1;
}

/** Scans from the opening quote and returns the index after the closing one, or -1 if the schema must decide. */
function string(b: Uint8Array, at: number): number {
  let i = at;
  for (;;) {
    const c = b[i++]!;
    if (STOP[c] === 0) continue;
    if (c === QUOTE) return i;
    if (c !== BACKSLASH) return -1;
    const e = b[i++]!;
    if (e === 0x75) {
      const h = hex(b[i]!);
      // A surrogate may be half of a pair: d800 to dfff.
      if (h < 0 || (h === 13 && hex(b[i + 1]!) >= 8)) return -1;
      if (hex(b[i + 1]!) < 0 || hex(b[i + 2]!) < 0 || hex(b[i + 3]!) < 0) return -1;
      // U+0000 is not allowed in names.
      if (h + hex(b[i + 1]!) + hex(b[i + 2]!) + hex(b[i + 3]!) === 0) return -1;
      i += 4;
    } else if (!isEscape(e)) return -1;
  }
}

function isEscape(c: number): boolean {
  // " \ / b f n r t
  return (
    c === QUOTE ||
    c === BACKSLASH ||
    c === 0x2f ||
    c === 0x62 ||
    c === 0x66 ||
    c === 0x6e ||
    c === 0x72 ||
    c === 0x74
  );
}

function hex(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function digit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function two(b: Uint8Array, i: number): number {
  const high = b[i]! - 0x30;
  const low = b[i + 1]! - 0x30;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : 1000;
}

/**
 * Returns the index after the JSON text `"YYYY-MM-DDThh:mm:ss[.fraction]Z"`, as contract/timestamp.ts has it, or -1. Its
 * bytes are followed by others, which stop the scan.
 */
function dateTimeEnd(b: Uint8Array, at: number): number {
  if (b[at] !== QUOTE) return -1;
  let i = at + 1;
  const century = two(b, i);
  const rest = two(b, i + 2);
  const month = two(b, i + 5);
  const day = two(b, i + 8);
  if (century > 99 || rest > 99 || month < 1 || month > 12 || day < 1) return -1;
  if (b[i + 4] !== MINUS || b[i + 7] !== MINUS || b[i + 10] !== 0x54) return -1;
  if (day > DAYS[month]!) {
    const year = century * 100 + rest;
    const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    if (month !== 2 || day !== 29 || !leap) return -1;
  }
  if (two(b, i + 11) > 23 || two(b, i + 14) > 59 || two(b, i + 17) > 59) return -1;
  if (b[i + 13] !== COLON || b[i + 16] !== COLON) return -1;
  i += 19;
  if (b[i] === DOT) {
    const from = ++i;
    while (digit(b[i]!)) i++;
    if (i === from || i - from > 9) return -1;
  }
  return b[i] === 0x5a && b[i + 1] === QUOTE ? i + 2 : -1;
}

/** A flat object of strings, numbers and booleans, no name twice. */
function properties(b: Uint8Array, at: number): number {
  let i = at;
  if (b[i++] !== OPEN_BRACE) return -1;
  i = skipWhitespace(b, i);
  if (b[i] === CLOSE_BRACE) return i + 1;
  for (let count = 0; count < MAX_NAMES; count++) {
    i = skipWhitespace(b, i);
    if (b[i++] !== QUOTE) return -1;
    const start = i;
    while (STOP[b[i]!] === 0) i++;
    // An escaped name could equal another one that is spelled differently.
    if (b[i] !== QUOTE) return -1;
    if (b[start] === 0x5f && b[start + 1] === 0x5f) return -1; // __proto__ and its like
    if (i - start > MAX_NAME_BYTES || taken(b, start, i, count)) return -1;
    nameStart[count] = start;
    nameEnd[count] = i;
    i = skipWhitespace(b, i + 1);
    if (b[i++] !== COLON) return -1;
    i = scalar(b, skipWhitespace(b, i));
    if (i < 0) return -1;
    i = skipWhitespace(b, i);
    const c = b[i++];
    if (c === CLOSE_BRACE) return i;
    if (c !== COMMA) return -1;
  }
  return -1;
}

function taken(b: Uint8Array, start: number, end: number, count: number): boolean {
  const length = end - start;
  for (let n = 0; n < count; n++) {
    const other = nameStart[n]!;
    if (nameEnd[n]! - other !== length) continue;
    let k = 0;
    while (k < length && b[start + k] === b[other + k]) k++;
    if (k === length) return true;
  }
  return false;
}

function scalar(b: Uint8Array, i: number): number {
  const c = b[i]!;
  if (c === QUOTE) return string(b, i + 1);
  if (c === MINUS || digit(c)) return number(b, i);
  if (c === 0x74) return b[i + 1] === 0x72 && b[i + 2] === 0x75 && b[i + 3] === 0x65 ? i + 4 : -1;
  if (c !== 0x66 || b[i + 1] !== 0x61 || b[i + 2] !== 0x6c) return -1;
  return b[i + 3] === 0x73 && b[i + 4] === 0x65 ? i + 5 : -1;
}

function number(b: Uint8Array, at: number): number {
  let i = at;
  if (b[i] === MINUS) i++;
  const first = b[i++]!;
  if (!digit(first)) return -1;
  if (first !== 0x30) while (digit(b[i]!)) i++;
  if (b[i] === DOT) {
    const from = ++i;
    while (digit(b[i]!)) i++;
    if (i === from) return -1;
  }
  // An exponent can make an infinity of few characters.
  const next = b[i]! | 0x20;
  return next === 0x65 || i - at > MAX_DIGITS ? -1 : i;
}
