import type { DecodedArray, PageHeader } from 'hyparquet';
import { assembleLists } from 'hyparquet/src/assemble.js';
import { convert } from 'hyparquet/src/convert.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, isFlatColumn } from 'hyparquet/src/schema.js';
import type { ColumnDecoder } from 'hyparquet/src/types.js';
import { MAX_PAGE_BYTES } from './held-memory.ts';
import { checkDeltas, readRuns } from './runs.ts';

/** The parts of a data page, decompressed. */
interface PageParts {
  readonly count: number;
  readonly encoding: string | undefined;
  /** Undefined if all values have the highest level. */
  readonly repetition: Uint8Array | undefined;
  readonly definition: Uint8Array | undefined;
  /** Values that are not missing. */
  readonly present: number;
  readonly values: Uint8Array;
}

const damaged = () => new Error('the values of a page are damaged');

/** Decompresses a data page and decodes its levels. Throws for one whose lengths do not agree with its bytes. */
export function pageParts(header: PageHeader, packed: Uint8Array, decoder: ColumnDecoder): PageParts {
  const { data_page_header: first, data_page_header_v2: second } = header;
  const maxRepetition = getMaxRepetitionLevel(decoder.schemaPath);
  const maxDefinition = getMaxDefinitionLevel(decoder.schemaPath);
  if (header.type === 'DATA_PAGE' && first) {
    const count = first.num_values;
    let values = unpacked(packed, header.uncompressed_page_size, decoder);
    const levels = (max: number, encoding: string) => {
      if (max === 0) return undefined;
      if (encoding !== 'RLE') throw new Error(`levels of the encoding ${encoding} are not supported`);
      if (values.length < 4) throw damaged();
      const length = viewOf(values).getUint32(0, true);
      if (4 + length > values.length) throw damaged();
      const found = levelsOf(values.subarray(4, 4 + length), max, count);
      values = values.subarray(4 + length);
      return found;
    };
    const repetition = levels(maxRepetition, first.repetition_level_encoding);
    const definition = levels(maxDefinition, first.definition_level_encoding);
    const present = presentOf(definition, maxDefinition, count);
    return { count, encoding: first.encoding, repetition, definition, present, values };
  }
  if (header.type === 'DATA_PAGE_V2' && second) {
    const {
      num_values: count,
      repetition_levels_byte_length: repeated,
      definition_levels_byte_length: defined,
    } = second;
    const before = repeated + defined;
    if (!(repeated >= 0 && defined >= 0 && before <= Math.min(packed.length, header.uncompressed_page_size)))
      throw damaged();
    const levels = (bytes: Uint8Array, max: number) =>
      // A page whose values are all there may have no levels.
      max === 0 || bytes.length === 0 ? undefined : levelsOf(bytes, max, count);
    const repetition = levels(packed.subarray(0, repeated), maxRepetition);
    if (maxRepetition > 0 && !repetition && count > 0) throw damaged();
    const definition = levels(packed.subarray(repeated, before), maxDefinition);
    const present = presentOf(definition, maxDefinition, count);
    const rest = packed.subarray(before);
    const size = header.uncompressed_page_size - before;
    const plain = second.is_compressed === false;
    if (plain && rest.length !== size) throw damaged();
    const values = plain ? rest : unpacked(rest, size, decoder);
    return { count, encoding: second.encoding, repetition, definition, present, values };
  }
  throw new Error(`pages of the type ${header.type} are not supported`);
}

/** Decodes a data page; rows of lists are added to `rows`, whose last one may continue. */
export function pageValues(
  header: PageHeader,
  packed: Uint8Array,
  decoder: ColumnDecoder,
  dictionary: DecodedArray | undefined,
  rows: unknown[],
): DecodedArray {
  const parts = pageParts(header, packed, decoder);
  const { repetition, definition, present } = parts;
  // The first row of a column starts in its first page.
  if (repetition && repetition[0]! > 0 && rows.length === 0) throw damaged();
  const values = decoded(parts, decoder, dictionary);
  if (values.length !== present) throw damaged();
  if (isFlatColumn(decoder.schemaPath)) return withMissing(values, definition, present, parts.count);
  const levels = present === parts.count ? [] : (definition ?? []);
  return assembleLists(rows, levels as number[], (repetition ?? []) as number[], values, decoder.schemaPath);
}

/** Puts null where a value is missing. */
function withMissing(
  values: DecodedArray,
  levels: Uint8Array | undefined,
  present: number,
  count: number,
): DecodedArray {
  if (!levels || present === count) return values;
  const all = new Array<unknown>(count);
  for (let i = 0, at = 0; i < count; i++) all[i] = levels[i] === 0 ? null : values[at++];
  return all;
}

/** Decodes the values of a dictionary. */
export function dictionaryValues(
  header: PageHeader,
  packed: Uint8Array,
  decoder: ColumnDecoder,
): DecodedArray {
  const count = header.dictionary_page_header!.num_values;
  const bytes = unpacked(packed, header.uncompressed_page_size, decoder);
  return convert(plain(bytes, count, decoder), decoder);
}

function decoded(
  { encoding, values: bytes, present }: PageParts,
  decoder: ColumnDecoder,
  dictionary: DecodedArray | undefined,
): DecodedArray {
  if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY')
    return fromDictionary(bytes, present, dictionary);
  if (present === 0) return [];
  return convert(storedValues(encoding, bytes, present, decoder), decoder);
}

function storedValues(
  encoding: string | undefined,
  bytes: Uint8Array,
  count: number,
  decoder: ColumnDecoder,
): DecodedArray {
  const { type, element } = decoder;
  if (encoding === 'PLAIN') return plain(bytes, count, decoder);
  if (encoding === 'RLE' && type === 'BOOLEAN') {
    // The length of the runs comes first.
    if (bytes.length < 4) throw damaged();
    return Array.from(readRuns(bytes.subarray(4), 1, count), (bit) => bit === 1);
  }
  if (encoding === 'BYTE_STREAM_SPLIT') {
    checkWidth(bytes, count, decoder);
    return byteStreamSplit(readerOf(bytes), count, type, element.type_length);
  }
  if (encoding === 'DELTA_BINARY_PACKED' && (type === 'INT32' || type === 'INT64'))
    return deltas(
      readerOf(bytes),
      bytes,
      type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count),
    );
  if ((encoding === 'DELTA_LENGTH_BYTE_ARRAY' || encoding === 'DELTA_BYTE_ARRAY') && /BYTE_ARRAY$/.test(type))
    return texts(bytes, count, encoding === 'DELTA_BYTE_ARRAY');
  throw new Error(`values of the type ${type} in the encoding ${encoding} are not supported`);
}

function fromDictionary(
  bytes: Uint8Array,
  count: number,
  dictionary: DecodedArray | undefined,
): DecodedArray {
  if (count === 0) return [];
  if (!dictionary || bytes.length === 0) throw damaged();
  const indexes = readRuns(bytes.subarray(1), bytes[0]!, count);
  const values = new Array<unknown>(count);
  for (let i = 0; i < count; i++) {
    const index = indexes[i]!;
    if (index >= dictionary.length) throw damaged();
    values[i] = dictionary[index];
  }
  return values;
}

function plain(bytes: Uint8Array, count: number, decoder: ColumnDecoder): DecodedArray {
  checkWidth(bytes, count, decoder);
  const reader = readerOf(bytes);
  const values = readPlain(reader, decoder.type, count, decoder.element.type_length);
  if (reader.offset > bytes.length) throw damaged();
  return values;
}

const WIDTHS: Partial<Record<string, number>> = {
  BOOLEAN: 1 / 8,
  INT32: 4,
  INT64: 8,
  INT96: 12,
  FLOAT: 4,
  DOUBLE: 8,
  // The length of each.
  BYTE_ARRAY: 4,
};

/** Checks that the bytes can hold the values. */
function checkWidth(bytes: Uint8Array, count: number, { type, element }: ColumnDecoder): void {
  const width = WIDTHS[type] ?? element.type_length;
  if (!(width !== undefined && width > 0 && count * width <= bytes.length)) throw damaged();
}

function deltas<T extends Int32Array | BigInt64Array>(
  reader: ReturnType<typeof readerOf>,
  bytes: Uint8Array,
  into: T,
): T {
  checkDeltas(bytes, reader.offset, into.length);
  deltaBinaryUnpack(reader, into.length, into);
  return into;
}

/** Decodes texts whose lengths come first, each after a part of the text before it if `shared`. */
function texts(bytes: Uint8Array, count: number, shared: boolean): Uint8Array[] {
  const reader = readerOf(bytes);
  const same = shared ? deltas(reader, bytes, new Int32Array(count)) : undefined;
  const rest = deltas(reader, bytes, new Int32Array(count));
  const values = new Array<Uint8Array>(count);
  let total = 0;
  let before: Uint8Array = new Uint8Array(0);
  for (let i = 0, at = reader.offset; i < count; i++) {
    const kept = same?.[i] ?? 0;
    const end = at + rest[i]!;
    if (!(kept >= 0 && kept <= before.length && end >= at && end <= bytes.length)) throw damaged();
    let value = bytes.subarray(at, end);
    if (kept > 0) {
      total += kept + value.length;
      if (total > MAX_PAGE_BYTES) throw new Error('the texts of a page are too long');
      const whole = new Uint8Array(kept + value.length);
      whole.set(before.subarray(0, kept));
      whole.set(value, kept);
      value = whole;
    }
    values[i] = value;
    before = value;
    at = end;
  }
  return values;
}

function unpacked(packed: Uint8Array, size: number, { codec, compressors }: ColumnDecoder): Uint8Array {
  if (size === 0) return new Uint8Array(0);
  return decompressPage(packed, size, codec, compressors);
}

function levelsOf(bytes: Uint8Array, max: number, count: number): Uint8Array {
  const levels = readRuns(bytes, 32 - Math.clz32(max), count) as Uint8Array;
  for (let i = 0; i < count; i++) if (levels[i]! > max) throw damaged();
  return levels;
}

function presentOf(levels: Uint8Array | undefined, max: number, count: number): number {
  if (!levels) return count;
  let present = 0;
  for (let i = 0; i < count; i++) if (levels[i] === max) present++;
  return present;
}

function readerOf(bytes: Uint8Array) {
  return { view: viewOf(bytes), offset: 0 };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
