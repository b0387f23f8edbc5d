import { isUtf8 } from 'node:buffer';
import { MAX_BATCH, MAX_EVENT_ID, MAX_NAME, MAX_VALUES } from '../../../contract/limits.ts';
import { isUtcTime } from './time.ts';

/** Ranges of bytes: for each element the first byte and the byte after the last, or -1 twice if it is missing. */
type Ranges = readonly number[];

/** Where the fields of the events of a body lie, without the quotes of strings. */
export interface EventRanges {
  readonly userId: Ranges;
  readonly event: Ranges;
  readonly timestamp: Ranges;
  readonly properties: Ranges;
  readonly eventId: Ranges;
}

type Columns = { readonly [K in keyof EventRanges]: number[] };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const BEFORE_EVENTS = bytesOf('"events"');
const KEYS = {
  userId: bytesOf('userId"'),
  event: bytesOf('event"'),
  timestamp: bytesOf('timestamp"'),
  properties: bytesOf('properties"'),
  eventId: bytesOf('eventId"'),
};
const TRUE = bytesOf('true');
const FALSE = bytesOf('false');
/** The characters after a backslash: b, f, n, r, t and those that stand for themselves; not u. */
const ESCAPES = Uint8Array.of(QUOTE, BACKSLASH, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74);

/** Fields of an object, and characters of a number, of the ordinary bodies that are scanned. */
const MAX_SCANNED_FIELDS = 64;
const MAX_DIGITS = 100;

/** Hashes of the names in the object being scanned. */
const hashes = new Int32Array(MAX_SCANNED_FIELDS);

/**
 * Fast path of ingest: finds the events of an ordinary body in its bytes, without making a value of each. Undefined means
 * that the body must be parsed and checked with the schema, which accepts whatever is found here. A property test checks
 * that both agree.
 */
export function scanEvents(bytes: Uint8Array): EventRanges | undefined {
  if (!isUtf8(bytes)) return undefined;
  const columns: Columns = { userId: [], event: [], timestamp: [], properties: [], eventId: [] };
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_BRACE) return undefined;
  at = skipSpace(bytes, at + 1);
  if (!matches(bytes, at, BEFORE_EVENTS)) return undefined;
  at = skipSpace(bytes, at + BEFORE_EVENTS.length);
  if (bytes[at] !== COLON) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] !== 0x5b) return undefined;
  let values = 0;
  do {
    if (columns.userId.length === 2 * MAX_BATCH) return undefined;
    const count = scanEvent(bytes, skipSpace(bytes, at + 1), columns);
    if (count < 0) return undefined;
    values += count;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== 0x5d || values >= MAX_VALUES) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] !== CLOSE_BRACE || skipSpace(bytes, at + 1) !== bytes.length) return undefined;
  return columns;
}

/** Where the last scan ended: the byte after it. */
let end = 0;

/** Scans an event and adds its ranges. Returns an upper bound of its values, or -1. */
function scanEvent(bytes: Uint8Array, from: number, columns: Columns): number {
  if (bytes[from] !== OPEN_BRACE) return -1;
  columns.userId.push(-1, -1);
  columns.event.push(-1, -1);
  columns.timestamp.push(-1, -1);
  columns.properties.push(-1, -1);
  columns.eventId.push(-1, -1);
  const last = columns.userId.length - 2;
  let values = 5;
  let at = from;
  do {
    at = skipSpace(bytes, at + 1);
    if (bytes[at] !== QUOTE) return -1;
    const field = fieldAt(bytes, at + 1);
    if (!field || !matches(bytes, at + 1, KEYS[field])) return -1;
    at = skipSpace(bytes, at + 1 + KEYS[field].length);
    if (bytes[at] !== COLON) return -1;
    at = skipSpace(bytes, at + 1);
    const column = columns[field];
    if (column[last] !== -1) return -1;
    if (field === 'properties') {
      const count = scanProperties(bytes, at);
      if (count < 0) return -1;
      values += count;
      column[last] = at;
      column[last + 1] = end;
      at = end;
    } else {
      const close = endOfName(bytes, at, field === 'eventId' ? MAX_EVENT_ID : MAX_NAME);
      if (close < 0 || (field === 'timestamp' && !isUtcTime(bytes, at + 1, close))) return -1;
      column[last] = at + 1;
      column[last + 1] = close;
      at = close + 1;
    }
    at = skipSpace(bytes, at);
  } while (bytes[at] === COMMA);
  end = at + 1;
  const complete = columns.userId[last]! >= 0 && columns.event[last]! >= 0 && columns.timestamp[last]! >= 0;
  return bytes[at] === CLOSE_BRACE && complete ? values : -1;
}

/** The field whose name begins at an index, by its first character, and by the sixth of those that begin with `event`. */
function fieldAt(bytes: Uint8Array, at: number): keyof EventRanges | undefined {
  switch (bytes[at]) {
    case 0x75:
      return 'userId';
    case 0x65:
      return bytes[at + 5] === QUOTE ? 'event' : 'eventId';
    case 0x74:
      return 'timestamp';
    case 0x70:
      return 'properties';
  }
  return undefined;
}

/** Scans a flat object of strings, finite numbers and booleans. Returns the number of its fields, or -1. */
function scanProperties(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== OPEN_BRACE) return -1;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_BRACE) {
    end = at + 1;
    return 0;
  }
  for (let count = 0; count < MAX_SCANNED_FIELDS; ) {
    const close = endOfKey(bytes, at);
    if (close < 0) return -1;
    for (let i = 0; i < count; i++) if (hashes[i] === hash) return -1;
    hashes[count++] = hash;
    at = skipSpace(bytes, close + 1);
    if (bytes[at] !== COLON) return -1;
    at = endOfScalar(bytes, skipSpace(bytes, at + 1));
    if (at < 0) return -1;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_BRACE) {
      end = at + 1;
      return count;
    }
    if (bytes[at] !== COMMA) return -1;
    at = skipSpace(bytes, at + 1);
  }
  return -1;
}

/** The hash of the last key (FNV-1a): equal names have equal ones. */
let hash = 0;

/** Returns the index of the closing quote of a key, and its hash, or -1 for a key that the schema must check. */
function endOfKey(bytes: Uint8Array, open: number): number {
  if (bytes[open] !== QUOTE) return -1;
  // Perhaps __proto__.
  if (bytes[open + 1] === 0x5f && bytes[open + 2] === 0x5f) return -1;
  let sum = 0x811c9dc5;
  for (let at = open + 1; at <= open + 1 + MAX_NAME; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      hash = sum | 0;
      return at;
    }
    if (!(byte >= 0x20) || byte === BACKSLASH) return -1;
    sum = Math.imul(sum ^ byte, 0x01000193);
  }
  return -1;
}

/** Returns the index of the closing quote of a string of 1 to `most` bytes without escapes, or -1. */
function endOfName(bytes: Uint8Array, open: number, most: number): number {
  if (bytes[open] !== QUOTE || bytes[open + 1] === QUOTE) return -1;
  for (let at = open + 1; at <= open + 1 + most; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (!(byte >= 0x20) || byte === BACKSLASH) return -1;
  }
  return -1;
}

/** Returns the index after a string, a boolean, or a number that is surely finite, or -1. */
function endOfScalar(bytes: Uint8Array, from: number): number {
  const first = bytes[from]!;
  if (first === QUOTE) return endOfText(bytes, from);
  if (first === TRUE[0]) return matches(bytes, from, TRUE) ? from + TRUE.length : -1;
  if (first === FALSE[0]) return matches(bytes, from, FALSE) ? from + FALSE.length : -1;
  return endOfNumber(bytes, from);
}

function endOfText(bytes: Uint8Array, open: number): number {
  for (let at = open + 1; ; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (!(byte >= 0x20)) return -1;
    if (byte === BACKSLASH && !ESCAPES.includes(bytes[++at]!)) return -1;
  }
}

/** The number may have a fraction, but no exponent. */
function endOfNumber(bytes: Uint8Array, from: number): number {
  const whole = bytes[from] === 0x2d ? from + 1 : from;
  let at = endOfDigits(bytes, whole);
  if (at === whole || (bytes[whole] === ZERO && at > whole + 1)) return -1;
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = endOfDigits(bytes, fraction);
    if (at === fraction) return -1;
  }
  const exponent = (bytes[at]! | 0x20) === 0x65;
  return exponent || at - from > MAX_DIGITS ? -1 : at;
}

function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  return at;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; )
    byte = bytes[++at];
  return at;
}

function matches(bytes: Uint8Array, from: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[from + i] !== expected[i]) return false;
  return true;
}
