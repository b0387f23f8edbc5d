/** Object identifier of PostgreSQL's type text. */
const TEXT = 25;
const HEADER = 20;
/** Up to so many bytes, a copy one by one is faster. */
const SHORT = 64;
/** A UTF-16 code unit takes at most this many bytes in UTF-8. */
const UNIT_BYTES = 3;

/**
 * Encodes a `text[]` parameter in PostgreSQL's binary format, which the server reads without parsing. NULL for an undefined
 * element.
 */
export function textArray(texts: readonly (string | undefined)[]): Buffer {
  const units = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  const array = withHeader(texts.length, units * UNIT_BYTES);
  let at = HEADER;
  for (const text of texts) {
    const bytes = text === undefined ? -1 : array.write(text, at + 4);
    array.writeInt32BE(bytes, at);
    at += 4 + Math.max(bytes, 0);
  }
  return array.subarray(0, at);
}

/**
 * Like `textArray`, of ranges of UTF-8 bytes: for each element its first byte and the byte after its last, or -1 twice
 * for NULL.
 */
export function textArrayOfRanges(bytes: Uint8Array, ranges: readonly number[]): Buffer {
  let size = 0;
  for (let i = 0; i < ranges.length; i += 2) size += ranges[i + 1]! - ranges[i]!;
  const array = withHeader(ranges.length / 2, size);
  let at = HEADER;
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i]!;
    const to = ranges[i + 1]!;
    array.writeInt32BE(from < 0 ? -1 : to - from, at);
    at += 4;
    if (from < 0) continue;
    if (to - from > SHORT) {
      array.set(bytes.subarray(from, to), at);
      at += to - from;
    } else for (let byte = from; byte < to; ) array[at++] = bytes[byte++]!;
  }
  return array;
}

/** A buffer for `count` elements of together at most `bytes` bytes, with the header of an array of one dimension. */
function withHeader(count: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER + 4 * count + bytes);
  const header = [1, 0, TEXT, count, 1];
  header.forEach((value, i) => void array.writeInt32BE(value, 4 * i));
  return array;
}
