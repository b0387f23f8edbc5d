import type { PageHeader } from 'hyparquet';
import type { ColumnDecoder } from 'hyparquet/src/types.js';
import { pageParts } from './page-values.ts';

/** The values of a page of texts: their places in its bytes, instead of an object each. */
export class TextValues {
  readonly bytes: Uint8Array;
  /** -1 for a missing value. */
  readonly start: Int32Array;
  readonly end: Int32Array;

  constructor(bytes: Uint8Array, start: Int32Array, end: Int32Array) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get length(): number {
    return this.start.length;
  }

  /** The bytes of a value; undefined if it is missing. */
  at(index: number): Uint8Array | undefined {
    const start = this.start[index]!;
    return start < 0 ? undefined : this.bytes.subarray(start, this.end[index]);
  }

  /** The bytes that a value has; 0 if it is missing. */
  lengthAt(index: number): number {
    return this.start[index]! < 0 ? 0 : this.end[index]! - this.start[index]!;
  }

  slice(from: number, to = this.length): TextValues {
    return new TextValues(this.bytes, this.start.subarray(from, to), this.end.subarray(from, to));
  }
}

/** Returns whether a page of a column without parts is one of texts that are written with their lengths. */
export function isTextPage(encoding: string, { type, element }: ColumnDecoder): boolean {
  return type === 'BYTE_ARRAY' && encoding === 'PLAIN' && !element.converted_type && !element.logical_type;
}

/**
 * Decodes a page of a column of bytes without parts and annotations, if each value is written with its length (encoding
 * PLAIN). Returns undefined for other pages. Throws for a damaged one.
 */
export function textValues(
  header: PageHeader,
  packed: Uint8Array,
  decoder: ColumnDecoder,
): TextValues | undefined {
  const page = header.type === 'DATA_PAGE' ? header.data_page_header : header.data_page_header_v2;
  if (!page || !isTextPage(page.encoding, decoder)) return undefined;
  const { values, count, definition } = pageParts(header, packed, decoder);
  return placesOf(values, count, definition);
}

function placesOf(bytes: Uint8Array, count: number, levels: Uint8Array | undefined): TextValues {
  const view = viewOf(bytes);
  const start = new Int32Array(count);
  const end = new Int32Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (levels && levels[i] === 0) {
      start[i] = -1;
      continue;
    }
    const length = view.getUint32(at, true);
    at += 4;
    start[i] = at;
    at += length;
    end[i] = at;
    if (at > bytes.length) throw new Error('a text is longer than its page');
  }
  return new TextValues(bytes, start, end);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
