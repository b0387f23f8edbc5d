import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { ColumnChunk, DecodedArray, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { getMaxDefinitionLevel, getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';
import type { ColumnDecoder } from 'hyparquet/src/types.js';
import { ChunkBytes } from './chunk-bytes.ts';
import { collectGarbage } from './collect-garbage.ts';
import { compressorsInto, isWrittenInPlace } from './compressors.ts';
import {
  type HeldMemory,
  MAX_PAGE_BYTES,
  MAX_PAGE_VALUES,
  memoryOfValue,
  OBJECT_BYTES,
} from './held-memory.ts';
import { givePageBuffer, isReused, takePageBuffer } from './page-buffers.ts';
import { dictionaryValues, pageValues } from './page-values.ts';
import { isTextPage, TextValues, textValues } from './text-values.ts';
import { thriftEnd, Unfinished } from './thrift-check.ts';

/** What the columns of a row group have in common. */
export interface GroupSource {
  readonly file: FileHandle;
  /** Size of the file in bytes. */
  readonly size: number;
  readonly rows: number;
  /** The memory of all columns. */
  readonly memory: HeldMemory;
}

/** The values of rows, one after the other. */
export type Values = DecodedArray | TextValues;

/** How many bytes of a page header are tried first; a header with long statistics has more. */
const HEADER_BYTES = 4096;
/** The longest page header; it holds the least and the greatest value. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

/** The values of a column in a row group, decoded page by page. */
export class ColumnPages {
  private readonly decoder: ColumnDecoder;
  private readonly chunk: ChunkBytes;
  private readonly isFlat: boolean;
  /** The values of the column in the row group; those of a list count one by one. */
  private readonly count: number;
  private dictionary: DecodedArray | undefined;
  private values: Values = [];
  /** Rows of `values` that were taken. */
  private taken = 0;
  /** Values in the data pages so far. */
  private seen = 0;
  private readonly memory: HeldMemory;
  /** Memory of `values` and of the dictionary, in bytes. */
  private held = 0;
  private dictionaryHeld = 0;
  /** Where the page of texts that is read was decompressed. */
  private buffer: Uint8Array | undefined;

  constructor(
    { file, size, rows, memory }: GroupSource,
    schema: SchemaTree,
    column: ColumnChunk,
    options: Pick<ColumnDecoder, 'parsers' | 'utf8'>,
  ) {
    const { meta_data: metadata } = column;
    if (!metadata) throw new Error('a column is encrypted');
    if (column.file_path) throw new Error('a column is in another file');
    const schemaPath = getTreePath(schema, metadata.path_in_schema);
    const { element } = schemaPath.at(-1)!;
    const compressors = compressorsInto(
      (length) => this.buffer?.subarray(0, length) ?? new Uint8Array(length),
    );
    this.decoder = {
      ...options,
      ...metadata,
      compressors,
      pathInSchema: metadata.path_in_schema,
      element,
      schemaPath,
    };
    if (metadata.type !== element.type) throw new Error('a column has another type than in the schema');
    const start = Number(metadata.dictionary_page_offset || metadata.data_page_offset);
    const end = start + Number(metadata.total_compressed_size);
    if (!(start >= 4 && end >= start && end <= size)) throw new Error('a column is outside of the file');
    this.chunk = new ChunkBytes(file, start, end);
    this.memory = memory;
    this.isFlat = isFlatColumn(schemaPath);
    this.count = Number(metadata.num_values);
    if (!(this.isFlat ? this.count === rows : this.count >= rows))
      throw new Error('a column has not as many values as there are rows');
  }

  /** The name of the column, or of the column that it is a part of. */
  get name(): string {
    return this.decoder.pathInSchema[0]!;
  }

  get path(): string {
    return this.decoder.pathInSchema.join('.');
  }

  /** Rows that can be taken. The last row of lists may continue on the next page. */
  get ready(): number {
    const held = this.isFlat || this.ended ? 0 : 1;
    return Math.max(0, this.values.length - this.taken - held);
  }

  /** True if the memory of the values is overwritten by those of a later page. */
  get isReused(): boolean {
    return this.buffer !== undefined && isReused(this.buffer);
  }

  /** Takes the next rows. */
  take(rows: number): Values {
    const from = this.taken;
    this.taken += rows;
    return this.values.slice(from, this.taken);
  }

  /** Decodes pages until there is a row. Throws if there is none. */
  async fill(): Promise<void> {
    while (this.ready === 0) {
      if (this.ended) throw new Error('a column has too few values');
      await this.page();
      // What a large page was decompressed from would stay in memory beside its texts.
      if (this.isReused) collectGarbage();
    }
  }

  /** Checks after the last row that nothing is left. */
  end(): void {
    if (this.seen !== this.count || this.taken !== this.values.length)
      throw new Error('a column has not as many values as there are rows');
  }

  /** Ends the reading: what was taken is not needed any more. */
  release(): void {
    this.values = [];
    if (this.buffer) givePageBuffer(this.buffer);
    this.buffer = undefined;
  }

  private get ended(): boolean {
    // hyparquet takes a single byte at the end of a column for padding.
    return this.chunk.left <= 1;
  }

  private async page(): Promise<void> {
    const { header, length } = await this.header();
    this.checkSizes(header, length);
    if (header.type === 'DICTIONARY_PAGE') {
      this.hold('dictionaryHeld', this.memoryOf(header));
      // The values of a page that is left keep their buffer, and a dictionary stays as long as its column.
      this.buffer = undefined;
      const bytes = await this.pageBytes(header, length);
      this.dictionary = dictionaryValues(header, bytes, this.decoder);
      return;
    }
    this.seen += valuesIn(header);
    if (this.seen > this.count) throw new Error('a column has not as many values as there are rows');
    const rest = this.values.slice(this.taken);
    // Values that were not taken stay. A row that began on an earlier page than the last is not measured again.
    const kept =
      rest.length === 0 || this.values.length === 1
        ? rest.length * this.held
        : memoryOfValue(rest, new Set());
    this.taken = 0;
    this.hold('held', this.memoryOf(header) + kept);
    // An empty part of a page keeps it in memory too.
    if (rest.length === 0) this.release();
    const { encoding } = header.data_page_header ?? header.data_page_header_v2 ?? {};
    const isText = this.isText(encoding);
    const isPacked =
      this.decoder.codec !== 'UNCOMPRESSED' && header.data_page_header_v2?.is_compressed !== false;
    this.buffer =
      isText && isPacked && isWrittenInPlace(this.decoder.codec)
        ? takePageBuffer(header.uncompressed_page_size)
        : undefined;
    const bytes = await this.pageBytes(header, length);
    if (isText && !isPacked) this.buffer = this.chunk.whole;
    // A page of plain values is decoded only when all rows were taken; rows of lists are continued in place.
    const before =
      rest.length === 0 || rest instanceof TextValues ? [] : Array.from(rest as ArrayLike<unknown>);
    this.values =
      (this.isFlat ? textValues(header, bytes, this.decoder) : undefined) ??
      pageValues(header, bytes, this.decoder, this.dictionary, before);
    this.chunk.whole = undefined;
  }

  private hold(part: 'held' | 'dictionaryHeld', bytes: number): void {
    this.memory.replace(this[part], bytes);
    this[part] = bytes;
  }

  /** Estimates the memory of a page while it is decoded. */
  private memoryOf(header: PageHeader): number {
    const { type, schemaPath, codec } = this.decoder;
    const { encoding } = header.data_page_header ?? header.data_page_header_v2 ?? {};
    const isObject =
      /BYTE_ARRAY$/.test(type) && !/_DICTIONARY$/.test(encoding ?? '') && !this.isText(encoding);
    const arrays = this.isFlat ? 0 : getMaxDefinitionLevel(schemaPath);
    const each = 16 + (isObject ? OBJECT_BYTES : 0) + arrays * OBJECT_BYTES;
    const packed = codec === 'UNCOMPRESSED' ? 0 : header.compressed_page_size;
    return packed + header.uncompressed_page_size + valuesIn(header) * each;
  }

  private isText(encoding: string | undefined): boolean {
    return this.isFlat && encoding !== undefined && isTextPage(encoding, this.decoder);
  }

  /** Reads the header of the next page, and how many bytes it has. */
  private async header(): Promise<{ header: PageHeader; length: number }> {
    for (let size = HEADER_BYTES; ; size *= 4) {
      await this.chunk.atLeast(size);
      const { bytes, left } = this.chunk;
      try {
        const length = thriftEnd(bytes);
        const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, length), offset: 0 };
        return { header: parquetHeader(reader), length };
      } catch (error) {
        if (!(error instanceof Unfinished) || bytes.length >= left || size > MAX_HEADER_BYTES) throw error;
      }
    }
  }

  private checkSizes(header: PageHeader, headerLength: number): void {
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header;
    if (!(packed >= 0 && headerLength + packed <= this.chunk.left))
      throw new Error('a page is longer than its column');
    if (!(packed <= MAX_PAGE_BYTES && unpacked >= 0 && unpacked <= MAX_PAGE_BYTES))
      throw new Error('a page is too large, or its header is damaged');
    if (!isOneKind(header) || !(valuesIn(header) >= 0 && valuesIn(header) <= MAX_PAGE_VALUES))
      throw new Error('the header of a page is damaged');
  }

  private async pageBytes(header: PageHeader, headerLength: number): Promise<Buffer> {
    const { compressed_page_size: packed, crc } = header;
    const length = headerLength + packed;
    await this.chunk.atLeast(length);
    const bytes = this.chunk.take(length).subarray(headerLength);
    if (crc !== undefined && crc32(bytes) !== crc >>> 0)
      throw new Error('the checksum of a page does not match');
    return bytes;
  }
}

/** Returns whether the header has what its type says. */
function isOneKind(header: PageHeader): boolean {
  return (
    (header.type === 'DATA_PAGE' && header.data_page_header !== undefined) ||
    (header.type === 'DATA_PAGE_V2' && header.data_page_header_v2 !== undefined) ||
    (header.type === 'DICTIONARY_PAGE' && header.dictionary_page_header !== undefined)
  );
}

function valuesIn({
  type,
  data_page_header,
  data_page_header_v2,
  dictionary_page_header,
}: PageHeader): number {
  if (type === 'DICTIONARY_PAGE') return dictionary_page_header?.num_values ?? -1;
  return (type === 'DATA_PAGE' ? data_page_header : data_page_header_v2)?.num_values ?? -1;
}
