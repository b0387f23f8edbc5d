import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ExportColumn, ExportKind } from '../../../contract/export.ts';
import { encodeColumn, isText, isTime, typeOf } from './parquet-page.ts';
import { type ThriftStruct, thriftOf } from './thrift.ts';

const compress = promisify(gzip);

/** The numbers of the format (parquet.thrift). */
const UTF8 = 0;
const TIMESTAMP_MICROS = 10;
const OPTIONAL = 1;
const PLAIN = 0;
const RLE = 3;
const GZIP = 2;
const RLE_DICTIONARY = 8;
const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;
const MAGIC = Buffer.from('PAR1');

/** Limits of a row group, which is in memory: rows, and about the bytes of their values. */
const GROUP_ROWS = 100_000;
const GROUP_BYTES = 16 * 1024 * 1024;

/** The columns of a file. */
export type ParquetColumns = readonly (readonly [name: string, kind: ExportKind])[];

/** A column of a row group: where it is in the file, and what the footer says of it. */
interface Chunk {
  readonly offset: number;
  /** The bytes of the dictionary before its values; undefined if it has none. */
  readonly dictionary?: number | undefined;
  readonly bytes: number;
  readonly uncompressed: number;
  readonly nulls: number;
  /** The least and the greatest value, as they are stored, in hexadecimal; of times and whole numbers only. */
  readonly bounds: readonly [string, string] | null;
}

/** What a file holds so far, as JSON: a writer goes on from it. */
export interface ParquetState {
  readonly bytes: number;
  readonly groups: readonly { readonly rows: number; readonly chunks: readonly Chunk[] }[];
}

/**
 * Writes a Parquet file (github.com/apache/parquet-format) row group by row group, in bounded memory: flat columns that may
 * have nulls, in pages of version 1, encoded PLAIN, or with a dictionary where a text has few values, and compressed with gzip. Times are TIMESTAMP in microseconds of UTC.
 * Its state is JSON, so that another process goes on with the file; hyparquet-writer begins files only.
 */
export class ParquetWriter {
  readonly #columns: ParquetColumns;
  readonly #groups: ParquetState['groups'][number][];
  #bytes: number;
  #pending: (readonly ExportColumn[])[] = [];
  #rows = 0;
  #size = 0;

  constructor(columns: ParquetColumns, state: ParquetState = { bytes: 0, groups: [] }) {
    this.#columns = columns;
    this.#groups = [...state.groups];
    this.#bytes = state.bytes;
  }

  /** What the file holds once the returned bytes are written. */
  get state(): ParquetState {
    return { bytes: this.#bytes, groups: this.#groups };
  }

  /** Takes rows as columns. Resolves to bytes for the end of the file once a row group is full, else to undefined. */
  async add(columns: readonly ExportColumn[]): Promise<Buffer | undefined> {
    this.#pending.push(columns);
    this.#rows += columns[0]!.length;
    for (const [i, column] of columns.entries()) this.#size += sizeOf(column, this.#columns[i]![1]);
    return this.#rows >= GROUP_ROWS || this.#size >= GROUP_BYTES ? this.flush() : undefined;
  }

  /** Ends the row group. Resolves to its bytes, undefined without a row. */
  async flush(): Promise<Buffer | undefined> {
    const start = this.#bytes === 0 ? [MAGIC] : [];
    if (this.#rows === 0) return undefined;
    const [pending, rows] = [this.#pending, this.#rows];
    this.#pending = [];
    this.#rows = 0;
    this.#size = 0;
    const encoded = this.#columns.map(([, kind], i) =>
      encodeColumn(
        pending.map((columns) => columns[i]!),
        rows,
        kind,
      ),
    );
    // Zlib compresses them at the same time, in threads.
    const pages = await Promise.all(
      encoded.map(({ page, dictionary }) =>
        Promise.all([
          dictionary && pageOf(dictionary.page, (sizes) => dictionaryHeader(sizes, dictionary.values)),
          pageOf(page, (sizes) => pageHeader(sizes, rows, dictionary ? RLE_DICTIONARY : PLAIN)),
        ]),
      ),
    );
    const parts: Buffer[] = [...start];
    let at = this.#bytes + (start.length > 0 ? MAGIC.length : 0);
    const chunks = encoded.map(({ nulls, bounds }, i): Chunk => {
      const own = pages[i]!.filter((page) => page !== undefined);
      parts.push(...own.flatMap(({ header, compressed }) => [header, compressed]));
      const bytes = own.reduce((sum, { header, compressed }) => sum + header.length + compressed.length, 0);
      const uncompressed = own.reduce((sum, { header, length }) => sum + header.length + length, 0);
      const [first] = pages[i]!;
      const dictionary = first && first.header.length + first.compressed.length;
      const chunk = { offset: at, dictionary, bytes, uncompressed, nulls, bounds };
      at += bytes;
      return chunk;
    });
    this.#bytes = at;
    this.#groups.push({ rows, chunks });
    return Buffer.concat(parts);
  }

  /** Resolves to the rest of the file: its last row group and its footer, without which no reader takes it. */
  async end(): Promise<Buffer> {
    const group = await this.flush();
    const start = this.#bytes === 0 ? MAGIC : Buffer.alloc(0);
    const footer = thriftOf(this.#metadata());
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    return Buffer.concat([group ?? start, footer, length, MAGIC]);
  }

  /** FileMetaData. */
  #metadata(): ThriftStruct {
    const rows = this.#groups.reduce((sum, group) => sum + group.rows, 0);
    const root = { 4: binary('records'), 5: { i32: this.#columns.length } };
    return {
      1: { i32: 1 },
      2: { structs: [root, ...this.#columns.map(([name, kind]) => schemaElement(name, kind))] },
      3: { i64: rows },
      4: { structs: this.#groups.map((group) => this.#rowGroup(group)) },
      6: binary('svc'),
      // Bounds are those of the order of the type.
      7: { structs: this.#columns.map(() => ({ 1: { struct: {} } })) },
    };
  }

  #rowGroup({ rows, chunks }: ParquetState['groups'][number]): ThriftStruct {
    return {
      1: { structs: chunks.map((chunk, i) => columnChunk(this.#columns[i]!, chunk, rows)) },
      2: { i64: chunks.reduce((sum, { uncompressed }) => sum + uncompressed, 0) },
      3: { i64: rows },
    };
  }
}

const binary = (text: string) => ({ binary: Buffer.from(text) });

/** About the bytes of values in memory. */
function sizeOf(column: ExportColumn, kind: ExportKind): number {
  if (!isText(kind) && kind !== 'instant') return 8 * column.length;
  let size = 0;
  for (let i = 0; i < column.length; i++) size += column[i] === null ? 8 : String(column[i]).length;
  return size;
}

function schemaElement(name: string, kind: ExportKind): ThriftStruct {
  const converted = isTime(kind) ? TIMESTAMP_MICROS : isText(kind) ? UTF8 : undefined;
  return {
    1: { i32: typeOf(kind) },
    3: { i32: OPTIONAL },
    4: binary(name),
    6: converted === undefined ? undefined : { i32: converted },
  };
}

function columnChunk([name, kind]: ParquetColumns[number], chunk: Chunk, rows: number): ThriftStruct {
  const { offset, dictionary, bytes, uncompressed, nulls, bounds } = chunk;
  const [least, greatest] = (bounds ?? []).map((hex) => ({ binary: Buffer.from(hex, 'hex') }));
  return {
    2: { i64: offset },
    3: {
      struct: {
        1: { i32: typeOf(kind) },
        2: { i32s: dictionary === undefined ? [PLAIN, RLE] : [PLAIN, RLE, RLE_DICTIONARY] },
        3: { binaries: [Buffer.from(name)] },
        4: { i32: GZIP },
        5: { i64: rows },
        6: { i64: uncompressed },
        7: { i64: bytes },
        9: { i64: offset + (dictionary ?? 0) },
        11: dictionary === undefined ? undefined : { i64: offset },
        12: { struct: { 3: { i64: nulls }, 5: greatest, 6: least } },
      },
    },
  };
}

interface Sizes {
  readonly uncompressed: number;
  readonly compressed: number;
}

/** Compresses a page. */
async function pageOf(page: Buffer, headerOf: (sizes: Sizes) => Buffer) {
  const compressed = await compress(page, { level: 1 });
  const header = headerOf({ uncompressed: page.length, compressed: compressed.length });
  return { header, compressed, length: page.length };
}

const pageHeader = ({ uncompressed, compressed }: Sizes, rows: number, encoding: number): Buffer =>
  thriftOf({
    1: { i32: DATA_PAGE },
    2: { i32: uncompressed },
    3: { i32: compressed },
    5: { struct: { 1: { i32: rows }, 2: { i32: encoding }, 3: { i32: RLE }, 4: { i32: RLE } } },
  });

const dictionaryHeader = ({ uncompressed, compressed }: Sizes, values: number): Buffer =>
  thriftOf({
    1: { i32: DICTIONARY_PAGE },
    2: { i32: uncompressed },
    3: { i32: compressed },
    7: { struct: { 1: { i32: values }, 2: { i32: PLAIN } } },
  });
