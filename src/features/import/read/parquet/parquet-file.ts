import type { FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import {
  type AsyncBuffer,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet';
import { parquetReadAsync } from 'hyparquet/src/read.js';
import { assembleAsync } from 'hyparquet/src/rowgroup.js';
import { shell } from '../../../../kit/shell.ts';
import { InputError } from '../../transform/input-error.ts';
import { isWrittenHere, PARSERS } from './cells.ts';
import { decompressLz4 } from './lz4.ts';

/** Decoded bytes that are held at a time. A row group may be much larger. */
const SLICE_BYTES = 8 * 1024 * 1024;
const FEWEST_ROWS = 1000;

const COMPRESSORS: Compressors = {
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) }),
  ZSTD: (input, length) => unzstd(input, new Uint8Array(length)),
  LZ4_RAW: decompressLz4,
};

/** Rows of a row group, by column. */
export interface Slice {
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: readonly DecodedArray[];
}

/** A Parquet file, read in parts of its row groups. */
export class ParquetFile {
  readonly columns: readonly SchemaTree[];
  readonly rows: number;
  private readonly name: string;
  private readonly buffer: AsyncBuffer;
  private readonly metadata: FileMetaData;

  private constructor(name: string, buffer: AsyncBuffer, metadata: FileMetaData) {
    this.name = name;
    this.buffer = buffer;
    this.metadata = metadata;
    this.columns = parquetSchema(metadata).children;
    this.rows = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  }

  static async open(file: FileHandle, size: number, name: string): Promise<ParquetFile> {
    const buffer: AsyncBuffer = {
      byteLength: size,
      async slice(start, end = size) {
        const bytes = Buffer.alloc(Math.max(0, Math.min(end, size) - start));
        for (let done = 0; done < bytes.length; ) {
          const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
          if (bytesRead === 0) throw new Error('the file is truncated');
          done += bytesRead;
        }
        return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
      },
    };
    const metadata = await parquetMetadataAsync(buffer).catch((error: unknown) => {
      throw damaged(name, error);
    });
    return new ParquetFile(name, buffer, metadata);
  }

  /** Yields all rows, in parts. `written`: columns whose values the caller writes, so that the decoder leaves them alone. */
  async *slices(written: ReadonlySet<string>): AsyncGenerator<Slice> {
    const metadata = this.withPlain(written);
    let start = 0;
    for (const group of this.metadata.row_groups) {
      const rows = Number(group.num_rows);
      const bytes = Math.max(1, Number(group.total_byte_size));
      const step = Math.max(FEWEST_ROWS, Math.floor((rows * SLICE_BYTES) / bytes));
      for (let at = 0; at < rows; at += step) {
        const end = Math.min(rows, at + step);
        yield await this.read(metadata, start + at, start + end);
      }
      start += rows;
    }
  }

  private async read(metadata: FileMetaData, rowStart: number, rowEnd: number): Promise<Slice> {
    try {
      const options = {
        file: this.buffer,
        metadata,
        rowStart,
        rowEnd,
        compressors: COMPRESSORS,
        utf8: false,
        parsers: PARSERS,
      };
      const schema = parquetSchema(metadata);
      const columns: DecodedArray[] = this.columns.map(() => []);
      for (const group of parquetReadAsync(options)) {
        const { asyncColumns, groupStart } = assembleAsync(group, schema, PARSERS);
        const settled = await Promise.allSettled(asyncColumns.map(({ data }) => data));
        for (const [index, column] of settled.entries()) {
          if (column.status === 'rejected') throw column.reason;
          const { data, skipped } = column.value;
          const name = asyncColumns[index]!.pathInSchema[0];
          const place = this.columns.findIndex(({ element }) => element.name === name);
          columns[place] = part(data, rowStart - groupStart - skipped, rowEnd - rowStart);
        }
      }
      if (columns.some((values) => values.length < rowEnd - rowStart))
        throw new Error('a column has too few values');
      return { firstRow: rowStart, rows: rowEnd - rowStart, columns };
    } catch (error) {
      throw damaged(this.name, error);
    }
  }

  /** The metadata without the annotations of some columns, whose values are then decoded as they are stored. */
  private withPlain(written: ReadonlySet<string>): FileMetaData {
    const plain = new Set(
      this.columns
        .filter(
          ({ element, children }) =>
            children.length === 0 && written.has(element.name) && isWrittenHere(element),
        )
        .map(({ element }) => element),
    );
    const schema = this.metadata.schema.map((element) => {
      if (!plain.has(element)) return element;
      const { converted_type: _, logical_type: __, ...rest } = element;
      return rest;
    });
    return { ...this.metadata, schema };
  }
}

/** Returns `count` values from `skip` on of an array in chunks. */
function part(chunks: readonly DecodedArray[], skip: number, count: number): DecodedArray {
  if (chunks.length === 1) return chunks[0]!.slice(skip, skip + count);
  const values: unknown[] = [];
  let at = 0;
  for (const chunk of chunks) {
    const from = Math.max(0, skip - at);
    const to = Math.min(chunk.length, skip + count - at);
    for (let i = from; i < to; i++) values.push(chunk[i]);
    at += chunk.length;
  }
  return values;
}

function damaged(name: string, error: unknown): InputError {
  const message = error instanceof Error ? error.message : String(error);
  return new InputError(
    `${name} cannot be read as Parquet: ${message}.`,
    shell`duckdb -c ${`COPY (SELECT * FROM '${name.replaceAll("'", "''")}') TO 'converted.ndjson' (FORMAT json)`}`,
    { cause: error },
  );
}
