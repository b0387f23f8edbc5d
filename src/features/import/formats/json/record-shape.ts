const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Objects and arrays inside each other in a record; a request may have 32. */
const MAX_DEPTH = 100;
/** Values in a record: the members and elements of all of its objects and arrays. Each needs up to a kilobyte. */
const MAX_VALUES = 100_000;

/**
 * Returns why the JSON in `bytes[start..end)` must not be parsed, as the reason of a reject; undefined if it may be. A
 * megabyte of brackets or short names takes a hundred once it is parsed.
 */
export function excessOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Each level and each value has a byte at least.
  if (end - start <= MAX_DEPTH) return undefined;
  let depth = 0;
  let values = 1;
  for (let i = start; i < end; i++) {
    const c = bytes[i]!;
    if (c === QUOTE) {
      i++;
      while (i < end && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
    } else if (c === COMMA) values++;
    else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      values++;
      if (++depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) depth--;
  }
  return values > MAX_VALUES ? `has more than ${MAX_VALUES} values` : undefined;
}
