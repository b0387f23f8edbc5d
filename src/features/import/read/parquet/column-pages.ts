import type { FileHandle } from 'node:fs/promises';
import type { ColumnChunk, DecodedArray, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert } from 'hyparquet/src/convert.js';
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';
import type { ColumnDecoder } from 'hyparquet/src/types.js';
import { ChunkBytes } from './chunk-bytes.ts';
import { TextValues, textValues } from './text-values.ts';

/** The values of rows, one after the other. */
export type Values = DecodedArray | TextValues;

/** How many bytes of a page header are tried first; a header with long statistics has more. */
const HEADER_BYTES = 4096;
/** No writer makes pages of this size; a damaged header may claim one. */
const MAX_PAGE_BYTES = 1024 * 1024 * 1024;

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

  constructor(
    file: FileHandle,
    schema: SchemaTree,
    column: ColumnChunk,
    options: Pick<ColumnDecoder, 'parsers' | 'compressors' | 'utf8'>,
  ) {
    const { meta_data: metadata } = column;
    if (!metadata) throw new Error('a column is encrypted');
    if (column.file_path) throw new Error('a column is in another file');
    const schemaPath = getTreePath(schema, metadata.path_in_schema);
    const { element } = schemaPath.at(-1)!;
    this.decoder = { ...options, ...metadata, pathInSchema: metadata.path_in_schema, element, schemaPath };
    const start = Number(metadata.dictionary_page_offset || metadata.data_page_offset);
    this.chunk = new ChunkBytes(file, start, start + Number(metadata.total_compressed_size));
    this.isFlat = isFlatColumn(schemaPath);
    this.count = Number(metadata.num_values);
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
    }
  }

  private get ended(): boolean {
    // hyparquet takes a single byte at the end of a column for padding.
    return this.chunk.left <= 1;
  }

  private async page(): Promise<void> {
    const { header, length } = await this.header();
    const bytes = await this.pageBytes(header, length);
    const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
    if (header.type === 'DICTIONARY_PAGE') {
      const { data } = readPage(reader, header, this.decoder, undefined, undefined, 0);
      if (data) this.dictionary = convert(data, this.decoder);
      return;
    }
    const rest = this.values.slice(this.taken);
    this.taken = 0;
    if (this.isFlat) {
      // A page of it is decoded only when all rows were taken.
      this.values =
        textValues(header, bytes, this.decoder) ??
        readPage(reader, header, this.decoder, this.dictionary, undefined, 0).data ??
        [];
      return;
    }
    // Rows of lists are continued in place.
    const before = rest instanceof TextValues ? [] : Array.from(rest as ArrayLike<unknown>);
    const { data } = readPage(reader, header, this.decoder, this.dictionary, before, 0);
    this.values = !data || data === before ? before : [...before, ...Array.from(data as ArrayLike<unknown>)];
  }

  /** Reads the header of the next page, and how many bytes it has. */
  private async header(): Promise<{ header: PageHeader; length: number }> {
    for (let size = HEADER_BYTES; ; size *= 4) {
      await this.chunk.atLeast(size);
      const { bytes, left } = this.chunk;
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      try {
        return { header: parquetHeader(reader), length: reader.offset };
      } catch (error) {
        if (!(error instanceof RangeError) || bytes.length >= left) throw error;
      }
    }
  }

  private async pageBytes(header: PageHeader, headerLength: number): Promise<Buffer> {
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header;
    const values =
      header.data_page_header?.num_values ??
      header.data_page_header_v2?.num_values ??
      header.dictionary_page_header?.num_values ??
      0;
    const length = headerLength + packed;
    if (!(packed >= 0 && length <= this.chunk.left)) throw new Error('a page is longer than its column');
    if (!(unpacked >= 0 && unpacked <= MAX_PAGE_BYTES && values >= 0 && values <= this.count))
      throw new Error('the header of a page is damaged');
    await this.chunk.atLeast(length);
    return this.chunk.take(length).subarray(headerLength);
  }
}
