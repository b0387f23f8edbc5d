import type { PageHeader } from 'hyparquet';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import type { ColumnDecoder } from 'hyparquet/src/types.js';

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

  slice(from: number, to = this.length): TextValues {
    return new TextValues(this.bytes, this.start.subarray(from, to), this.end.subarray(from, to));
  }
}

/**
 * Decodes a page of a column of bytes without parts and annotations, if each value is written with its length (encoding
 * PLAIN). Returns undefined for other pages. Throws for a damaged one.
 */
export function textValues(
  header: PageHeader,
  packed: Uint8Array,
  { type, codec, compressors, element }: ColumnDecoder,
): TextValues | undefined {
  const { data_page_header: first, data_page_header_v2: second } = header;
  const page = first ?? second;
  if (type !== 'BYTE_ARRAY' || page?.encoding !== 'PLAIN') return undefined;
  if (element.converted_type || element.logical_type) return undefined;
  const optional = element.repetition_type !== 'REQUIRED';
  const size = Number(header.uncompressed_page_size);
  let values: Uint8Array;
  let levels: Uint8Array | undefined;
  if (second) {
    const before = second.repetition_levels_byte_length + second.definition_levels_byte_length;
    if (optional) levels = levelsOf(viewOf(packed), second.num_values, second.definition_levels_byte_length);
    const rest = packed.subarray(before);
    values = second.is_compressed ? decompressPage(rest, size - before, codec, compressors) : rest;
  } else {
    values = decompressPage(packed, size, codec, compressors);
    if (optional) {
      const view = viewOf(values);
      levels = levelsOf(view, page.num_values);
      values = values.subarray(4 + view.getUint32(0, true));
    }
  }
  return placesOf(values, page.num_values, levels);
}

/** Reads for each value whether it is there, 1 or 0. */
function levelsOf(view: DataView, count: number, length?: number): Uint8Array {
  const levels = new Uint8Array(count);
  // A page whose values are all there may have no levels.
  if (length === 0) return levels.fill(1);
  readRleBitPackedHybrid({ view, offset: 0 }, 1, levels, length);
  return levels;
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
