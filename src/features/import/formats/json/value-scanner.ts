/** The value is not complete: more bytes are needed. */
export const NEED = -1;
/** The bytes are not JSON. */
export const INVALID = -2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Values nested deeper than this are not read. */
const MAX_DEPTH = 1000;

/** The classes of bytes that a scan distinguishes. */
const SPACE = 1;
const WORD = 2;
const CLASS = new Uint8Array(256);
for (const c of ' \t\r\n') CLASS[c.charCodeAt(0)] = SPACE;
for (const c of '+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
  CLASS[c.charCodeAt(0)] = WORD;
/** 1 for the bytes that end the fast scan of a string. */
const STOP = new Uint8Array(256);
STOP.fill(1, 0, 0x20);
STOP[QUOTE] = 1;
STOP[BACKSLASH] = 1;

/** What may come next. */
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY = 2;
const KEY_OR_CLOSE = 3;
const AFTER_KEY = 4;
const AFTER_VALUE = 5;

/**
 * Finds the end of a JSON value (RFC 8259) in bytes that arrive in pieces. Checks the structure, but not the spelling of
 * words, numbers and escapes, which is left to JSON.parse.
 */
export class ValueScanner {
  /** Line feeds in the value so far. */
  lineFeeds = 0;
  private readonly isObject = new Uint8Array(MAX_DEPTH);
  private depth = 0;
  private expected = VALUE;
  private inString = false;
  private escaped = false;
  private inWord = false;
  /** Index of the byte at which the last scan stopped. */
  at = 0;

  /** Prepares for the value that starts with the next byte scanned. */
  start(): void {
    this.lineFeeds = 0;
    this.depth = 0;
    this.expected = VALUE;
    this.inString = false;
    this.escaped = false;
    this.inWord = false;
  }

  /**
   * Scans `b[from..limit)`, the continuation of what was scanned since `start`.
   *
   * @returns the index after the value, NEED or INVALID. A number at the end of the bytes needs one more byte, such as a
   * line feed, to be complete.
   */
  scan(b: Uint8Array, from: number, limit: number): number {
    let i = from;
    while (i < limit) {
      if (this.inString) {
        i = this.string(b, i, limit);
        if (i < 0) return INVALID;
        if (this.inString) break;
        if (this.valueEnded()) return i;
        continue;
      }
      const c = b[i]!;
      const kind = CLASS[c]!;
      if (kind === WORD) {
        if (!this.inWord && this.expected !== VALUE && this.expected !== VALUE_OR_CLOSE) return this.fail(i);
        this.inWord = true;
        i++;
        continue;
      }
      if (this.inWord) {
        this.inWord = false;
        this.expected = AFTER_VALUE;
        if (this.depth === 0) return i;
      }
      if (kind === SPACE) {
        if (c === LINE_FEED) this.lineFeeds++;
        i++;
        continue;
      }
      if (!this.structure(c)) return this.fail(i);
      i++;
      if (this.depth === 0 && this.expected === AFTER_VALUE) return i;
    }
    this.at = i;
    return NEED;
  }

  private fail(i: number): number {
    this.at = i;
    return INVALID;
  }

  /** Handles a quote, bracket, comma or colon. Returns false if it may not come here. */
  private structure(c: number): boolean {
    const { expected } = this;
    switch (c) {
      case QUOTE:
        if (expected === AFTER_KEY || expected === AFTER_VALUE) return false;
        this.inString = true;
        return true;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if ((expected !== VALUE && expected !== VALUE_OR_CLOSE) || this.depth === MAX_DEPTH) return false;
        this.isObject[this.depth++] = c === OPEN_OBJECT ? 1 : 0;
        this.expected = c === OPEN_OBJECT ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
        return true;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY: {
        const object = c === CLOSE_OBJECT;
        if (this.depth === 0 || (this.isObject[this.depth - 1] === 1) !== object) return false;
        if (expected !== AFTER_VALUE && expected !== (object ? KEY_OR_CLOSE : VALUE_OR_CLOSE)) return false;
        this.depth--;
        this.expected = AFTER_VALUE;
        return true;
      }
      case COMMA:
        if (expected !== AFTER_VALUE || this.depth === 0) return false;
        this.expected = this.isObject[this.depth - 1] === 1 ? KEY : VALUE;
        return true;
      case COLON:
        if (expected !== AFTER_KEY) return false;
        this.expected = VALUE;
        return true;
      default:
        return false;
    }
  }

  /** Scans a string from its inside. Returns the index after what was scanned, or INVALID at a control character. */
  private string(b: Uint8Array, from: number, limit: number): number {
    let i = from;
    while (i < limit) {
      if (this.escaped) {
        this.escaped = false;
        i++;
        continue;
      }
      const c = b[i]!;
      if (STOP[c] === 0) {
        i++;
        continue;
      }
      if (c === BACKSLASH) this.escaped = true;
      else if (c === QUOTE) {
        this.inString = false;
        return i + 1;
      } else return this.fail(i);
      i++;
    }
    return i;
  }

  /** A string ended: a key, or a value. Returns whether the scanned value is complete. */
  private valueEnded(): boolean {
    const key = this.expected === KEY || this.expected === KEY_OR_CLOSE;
    this.expected = key ? AFTER_KEY : AFTER_VALUE;
    return this.depth === 0;
  }
}

/** Finds the end of the object or array at `at` by its brackets alone, outside of strings; -1 if there is none. */
export function bracketsEnd(b: Uint8Array, at: number, limit: number): number {
  let depth = 0;
  let inString = false;
  for (let i = at; i < limit; i++) {
    const c = b[i];
    if (inString) {
      if (c === BACKSLASH) i++;
      else if (c === QUOTE) inString = false;
      else if (c === LINE_FEED) return -1;
    } else if (c === QUOTE) inString = true;
    else if (c === OPEN_OBJECT || c === OPEN_ARRAY) depth++;
    else if ((c === CLOSE_OBJECT || c === CLOSE_ARRAY) && --depth === 0) return i + 1;
  }
  return -1;
}
