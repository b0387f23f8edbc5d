import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ExportColumn, ExportKind } from '../../../contract/export.ts';
import { type ThriftStruct, thriftOf } from './thrift.ts';

const compress = promisify(gzip);

/** The numbers of the format (parquet.thrift). */
const TYPE = { integer: 2, double: 5, text: 6 } as const;
const UTF8 = 0;
const TIMESTAMP_MICROS = 10;
const OPTIONAL = 1;
const PLAIN = 0;
const RLE = 3;
const GZIP = 2;
const DATA_PAGE = 0;
const MAGIC = Buffer.from('PAR1');

/** Limits of a row group, which is in memory: rows, and about the bytes of their values. */
const GROUP_ROWS = 100_000;
const GROUP_BYTES = 16 * 1024 * 1024;

/** The columns of a file. */
export type ParquetColumns = readonly (readonly [name: string, kind: ExportKind])[];

/** A column of a row group: where it is in the file, and what the footer says of it. */
interface Chunk {
  readonly offset: number;
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
 * have nulls, in pages of version 1, encoded PLAIN and compressed with gzip. Times are TIMESTAMP in microseconds of UTC.
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
    for (const column of columns)
      for (const value of column) this.#size += typeof value === 'string' ? value.length : 8;
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
      encode(
        pending.map((columns) => columns[i]!),
        rows,
        kind,
      ),
    );
    // Zlib compresses them at the same time, in threads.
    const pages = await Promise.all(encoded.map(({ page }) => compress(page, { level: 1 })));
    const parts: Buffer[] = [...start];
    let at = this.#bytes + (start.length > 0 ? MAGIC.length : 0);
    const chunks = encoded.map(({ page, nulls, bounds }, i): Chunk => {
      const compressed = pages[i]!;
      const header = pageHeader(page.length, compressed.length, rows);
      parts.push(header, compressed);
      const bytes = header.length + compressed.length;
      const chunk = { offset: at, bytes, uncompressed: header.length + page.length, nulls, bounds };
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

const isTime = (kind: ExportKind) => kind === 'time' || kind === 'instant';

function typeOf(kind: ExportKind): number {
  if (isTime(kind) || kind === 'integer') return TYPE.integer;
  return kind === 'double' ? TYPE.double : TYPE.text;
}

function schemaElement(name: string, kind: ExportKind): ThriftStruct {
  const converted = isTime(kind) ? TIMESTAMP_MICROS : typeOf(kind) === TYPE.text ? UTF8 : undefined;
  return {
    1: { i32: typeOf(kind) },
    3: { i32: OPTIONAL },
    4: binary(name),
    6: converted === undefined ? undefined : { i32: converted },
  };
}

function columnChunk([name, kind]: ParquetColumns[number], chunk: Chunk, rows: number): ThriftStruct {
  const { offset, bytes, uncompressed, nulls, bounds } = chunk;
  const [least, greatest] = (bounds ?? []).map((hex) => ({ binary: Buffer.from(hex, 'hex') }));
  return {
    2: { i64: offset },
    3: {
      struct: {
        1: { i32: typeOf(kind) },
        2: { i32s: [PLAIN, RLE] },
        3: { binaries: [Buffer.from(name)] },
        4: { i32: GZIP },
        5: { i64: rows },
        6: { i64: uncompressed },
        7: { i64: bytes },
        9: { i64: offset },
        12: { struct: { 3: { i64: nulls }, 5: greatest, 6: least } },
      },
    },
  };
}

const pageHeader = (uncompressed: number, compressed: number, rows: number): Buffer =>
  thriftOf({
    1: { i32: DATA_PAGE },
    2: { i32: uncompressed },
    3: { i32: compressed },
    5: { struct: { 1: { i32: rows }, 2: { i32: PLAIN }, 3: { i32: RLE }, 4: { i32: RLE } } },
  });

/** A page before compression: which rows have a value, then the values. */
function encode(
  parts: readonly ExportColumn[],
  rows: number,
  kind: ExportKind,
): { page: Buffer; nulls: number; bounds: Chunk['bounds'] } {
  const { levels, nulls } = levelsOf(parts, rows);
  const values = typeOf(kind) === TYPE.text ? textValues(parts) : numberValues(parts, rows - nulls, kind);
  return { page: Buffer.concat([levels, values]), nulls, bounds: boundsOf(values, kind) };
}

/** The definition levels: 1 for a row with a value, in one run if all have one, else a bit each. */
function levelsOf(parts: readonly ExportColumn[], rows: number): { levels: Buffer; nulls: number } {
  const bits = Buffer.alloc(Math.ceil(rows / 8));
  let row = 0;
  let nulls = 0;
  for (const part of parts)
    for (const value of part) {
      if (value === null) nulls++;
      else bits[row >> 3]! |= 1 << (row & 7);
      row++;
    }
  const runs =
    nulls === 0 || nulls === rows
      ? Buffer.from([...varint(rows * 2), nulls === 0 ? 1 : 0])
      : Buffer.concat([Buffer.from(varint(bits.length * 2 + 1)), bits]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(runs.length);
  return { levels: Buffer.concat([length, runs]), nulls };
}

function varint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  return [...out, rest];
}

/** Each text in UTF-8 after its length. */
function textValues(parts: readonly ExportColumn[]): Buffer {
  let most = 0;
  for (const part of parts)
    for (const value of part) if (value !== null) most += 4 + 3 * String(value).length;
  const out = Buffer.allocUnsafe(most);
  let at = 0;
  for (const part of parts)
    for (const value of part) {
      if (value === null) continue;
      const length = out.write(String(value), at + 4, 'utf8');
      out.writeUInt32LE(length, at);
      at += 4 + length;
    }
  return out.subarray(0, at);
}

const TWO_32 = 2 ** 32;
/** Up to here, in ms, the microseconds of a time are a number without loss. */
const EXACT_MS = 9e12;

/** Numbers of 8 bytes: times in microseconds, whole numbers, or doubles. */
function numberValues(parts: readonly ExportColumn[], count: number, kind: ExportKind): Buffer {
  const out = Buffer.allocUnsafe(count * 8);
  let at = 0;
  for (const part of parts)
    for (const value of part) {
      if (value === null) continue;
      if (kind === 'double') out.writeDoubleLE(Number(value), at);
      else if (kind === 'integer') writeWhole(out, Number(value), at);
      else {
        const ms = kind === 'time' ? Number(value) : Date.parse(String(value));
        const more = kind === 'time' ? 0 : belowMs(String(value));
        if (Math.abs(ms) < EXACT_MS) writeWhole(out, ms * 1000 + more, at);
        else out.writeBigInt64LE(BigInt(ms) * 1000n + BigInt(more), at);
      }
      at += 8;
    }
  return out;
}

function writeWhole(out: Buffer, value: number, at: number): void {
  const high = Math.floor(value / TWO_32);
  out.writeUInt32LE(value - high * TWO_32, at);
  out.writeInt32LE(high, at + 4);
}

/** The microseconds of a date-time in UTC below its milliseconds; what is below them is cut off. */
const belowMs = (text: string): number =>
  text.length > 24 ? Number(text.slice(23, 26).replace('Z', '').padEnd(3, '0')) : 0;

/** The least and the greatest of whole numbers of 8 bytes; null for others and for none. */
function boundsOf(values: Buffer, kind: ExportKind): Chunk['bounds'] {
  if (typeOf(kind) !== TYPE.integer || values.length === 0) return null;
  const isLess = (a: number, b: number) => {
    const [high, other] = [values.readInt32LE(a + 4), values.readInt32LE(b + 4)];
    return high < other || (high === other && values.readUInt32LE(a) < values.readUInt32LE(b));
  };
  let [least, greatest] = [0, 0];
  for (let at = 8; at < values.length; at += 8) {
    if (isLess(at, least)) least = at;
    if (isLess(greatest, at)) greatest = at;
  }
  return [values.toString('hex', least, least + 8), values.toString('hex', greatest, greatest + 8)];
}
