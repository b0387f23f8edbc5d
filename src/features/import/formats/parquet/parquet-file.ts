import type { FileHandle } from 'node:fs/promises';
import {
  type ColumnChunk,
  type DecodedArray,
  type FileMetaData,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { shell } from '../../../../kit/shell.ts';
import { InputError } from '../../input/input-error.ts';
import { isWrittenHere, PARSERS } from './cells.ts';
import { ColumnPages, type Values } from './column-pages.ts';
import { HeldMemory, PagesTooLarge } from './held-memory.ts';
import { readMetadata } from './metadata.ts';
import { TextValues } from './text-values.ts';

/** Rows that are passed on at a time; those that a page holds beyond them stay in it. */
const MAX_ROWS = 4096;

const DECODING = { parsers: { ...DEFAULT_PARSERS, ...PARSERS }, utf8: false };

/** Rows of a row group, by column. */
export interface Slice {
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: readonly Values[];
  /** True if the values are there until the next slice only. */
  readonly reused: boolean;
}

/** A Parquet file, read by the pages of its columns: a row group may be larger than memory. */
export class ParquetFile {
  readonly columns: readonly SchemaTree[];
  readonly rows: number;
  private readonly name: string;
  private readonly file: FileHandle;
  private readonly size: number;
  private readonly metadata: FileMetaData;

  private constructor(name: string, file: FileHandle, size: number, metadata: FileMetaData) {
    this.name = name;
    this.file = file;
    this.size = size;
    this.metadata = metadata;
    this.columns = parquetSchema(metadata).children;
    this.rows = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  }

  static async open(file: FileHandle, size: number, name: string): Promise<ParquetFile> {
    try {
      return new ParquetFile(name, file, size, await readMetadata(file, size));
    } catch (error) {
      throw damaged(name, error);
    }
  }

  /** Yields all rows, in parts. `written`: columns whose values the caller writes, so that the decoder leaves them alone. */
  async *slices(written: ReadonlySet<string>): AsyncGenerator<Slice> {
    const schema = parquetSchema(this.withPlain(written));
    let firstRow = 0;
    for (const group of this.metadata.row_groups) {
      const rows = Number(group.num_rows);
      const pages = this.guard(() => this.pages(schema, group.columns, rows));
      try {
        for (let left = rows; left > 0; ) {
          const slice = await this.slice(schema, pages, firstRow, left);
          yield slice;
          firstRow += slice.rows;
          left -= slice.rows;
        }
        this.guard(() => {
          for (const column of pages) column.end();
        });
      } finally {
        // Also where the reader ends before the file does.
        for (const column of pages) column.release();
      }
    }
  }

  private pages(schema: SchemaTree, columns: readonly ColumnChunk[], rows: number): ColumnPages[] {
    const memory = new HeldMemory();
    const source = { file: this.file, size: this.size, rows, memory };
    // A table may have thousands of columns: none is searched for among all of them.
    const roots = new Map(schema.children.map((child) => [child.element.name, child]));
    const pages = columns.map((column) => {
      const root = roots.get(column.meta_data?.path_in_schema[0] ?? '');
      return new ColumnPages(source, { ...schema, children: root ? [root] : [] }, column, DECODING);
    });
    if (new Set(pages.map(({ path }) => path)).size < pages.length)
      throw new Error('a row group has two columns with the same name');
    return pages;
  }

  /** Reads as many rows as each column has decoded, at least one. */
  private async slice(
    schema: SchemaTree,
    pages: readonly ColumnPages[],
    firstRow: number,
    left: number,
  ): Promise<Slice> {
    try {
      for (const column of pages) await column.fill();
      const rows = Math.min(left, MAX_ROWS, ...pages.map(({ ready }) => ready));
      const parts = new Map<string, ColumnPages[]>(schema.children.map(({ element }) => [element.name, []]));
      for (const column of pages) parts.get(column.name)?.push(column);
      const columns = schema.children.map((child) => valuesOf(child, parts.get(child.element.name)!, rows));
      return { firstRow, rows, columns, reused: pages.some(({ isReused }) => isReused) };
    } catch (error) {
      throw damaged(this.name, error);
    }
  }

  private guard<T>(work: () => T): T {
    try {
      return work();
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

/** Takes the next values of a column from its parts, of which a nested one has several. */
function valuesOf(column: SchemaTree, parts: readonly ColumnPages[], rows: number): Values {
  if (parts.length === 0) throw new Error(`the column ${column.element.name} is missing in a row group`);
  if (column.children.length === 0) return parts[0]!.take(rows);
  const taken = new Map(parts.map((part) => [part.path, part.take(rows) as DecodedArray]));
  assembleNested(taken, column, DECODING.parsers);
  const values = taken.get(column.element.name);
  if (!values) throw new Error(`the column ${column.element.name} cannot be assembled`);
  return values;
}

function damaged(name: string, error: unknown): InputError {
  // The decoder takes what the file says for granted: JavaScript's own errors are about what it found there.
  const isOwn = error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
  const message = isOwn ? error.message : 'its metadata are damaged';
  const to =
    error instanceof PagesTooLarge
      ? { makes: 'smaller-pages.parquet', options: 'ROW_GROUP_SIZE 8192' }
      : undefined;
  return unreadableParquet(name, `cannot be read as Parquet: ${message}`, error, to);
}

/** The error of a file that another tool may be able to convert. `to`: what DuckDB makes of it. */
export function unreadableParquet(
  name: string,
  why: string,
  cause?: unknown,
  { makes, options } = { makes: 'converted.ndjson', options: 'FORMAT json' },
): InputError {
  const by = shell`duckdb -c ${`COPY (SELECT * FROM '${name.replaceAll("'", "''")}') TO '${makes}' (${options})`}`;
  return new InputError(`${name} ${why}.`, by, { cause, prepare: { by, name, makes } });
}

/** Returns a value of a column; null or undefined if it is missing. */
export function valueAt(values: Values, index: number): unknown {
  return values instanceof TextValues ? values.at(index) : values[index];
}
