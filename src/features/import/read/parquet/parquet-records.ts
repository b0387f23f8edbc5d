import type { FileHandle } from 'node:fs/promises';
import { requireConsentNamed } from '../../transform/consent-names.ts';
import type { FILTERED } from '../../transform/filtered.ts';
import type { CellType, Mapping } from '../../transform/mapping.ts';
import type { RecordMappers, RowMapper } from '../../transform/record-mappers.ts';
import type { ValidationError } from '../../transform/validation-errors.ts';
import { excessOf } from '../json/record-shape.ts';
import { RecordBytes } from '../record-bytes.ts';
import type { RecordSink, RecordSource } from '../record-source.ts';
import { inexactPart, type LeafColumn, leafColumn, nestedText } from './cells.ts';
import type { Values } from './column-pages.ts';
import { ParquetFile, type Slice, unreadableParquet, valueAt } from './parquet-file.ts';
import { RowCells } from './row-cells.ts';
import { TextValues } from './text-values.ts';

export interface ParquetOptions {
  readonly file: FileHandle;
  readonly size: number;
  readonly name: string;
  readonly mapping: Mapping;
  /** Makes the mappers of the records from the mapping with the types of the columns. */
  readonly mappers: (mapping: Mapping) => RecordMappers;
  readonly onNotice: (text: string) => void;
}

interface Column {
  readonly name: string;
  /** JSON of the name, with a colon. */
  readonly prefix: string;
  /** Undefined for a column with parts. */
  readonly leaf: LeafColumn | undefined;
}

/** A longer row is mapped as text. */
const LONGEST_WRITTEN = 16 * 1024;

/**
 * The rows of a Parquet file. A position is a row number, from 0. Rows of plain columns are mapped like those of a CSV
 * whose columns have the types of the schema, other rows like JSON whose members become properties.
 */
export class ParquetRecords implements RecordSource {
  position = 0;
  ended = false;
  private readonly parquet: ParquetFile;
  private readonly options: ParquetOptions;
  private readonly columns: readonly Column[];
  private readonly slices: AsyncGenerator<Slice>;
  /** Maps the rows if all columns are plain. */
  private readonly rows: RowMapper | undefined;
  private readonly made = new RecordBytes();
  private readonly json: RecordMappers['json'];
  private slice: Slice | undefined;
  /** The cells of a row, if all columns are plain. */
  private readonly cells: RowCells | undefined;
  private rawOf: { readonly slice: Slice; readonly raw: (row: number) => string } | undefined;

  private constructor(parquet: ParquetFile, options: ParquetOptions) {
    const { name, mapping, mappers, onNotice } = options;
    this.parquet = parquet;
    this.options = options;
    this.columns = parquet.columns.map(({ element, children }) => ({
      name: element.name,
      prefix: `${JSON.stringify(element.name)}:`,
      leaf: children.length > 0 || element.repetition_type === 'REPEATED' ? undefined : leafColumn(element),
    }));
    const leaves = this.columns.filter(({ leaf }) => leaf !== undefined);
    this.slices = parquet.slices(new Set(leaves.map((column) => column.name)));
    const isTable = leaves.length === this.columns.length;
    const types = isTable
      ? new Map<string, CellType>(this.columns.map((column) => [column.name, column.leaf!.type]))
      : [];
    requireConsentNamed(
      this.columns.map((column) => column.name),
      mapping,
      name,
    );
    const made = mappers({
      ...mapping,
      types: new Map([...types, ...mapping.types]),
      extraFields: mapping.extraFields ?? 'properties',
      nulls: 'drop',
    });
    this.json = made.json;
    if (!isTable) return;
    const rows = made.rows(
      this.columns.map((column) => column.name),
      name,
    );
    for (const notice of rows.notices) onNotice(notice);
    this.rows = rows;
    this.cells = new RowCells(this.columns.length);
  }

  static async open(options: ParquetOptions): Promise<ParquetRecords> {
    const { file, size, name } = options;
    const parquet = await ParquetFile.open(file, size, name);
    for (const column of parquet.columns) {
      const inexact = column.children.length > 0 ? inexactPart(column) : undefined;
      if (inexact !== undefined)
        throw unreadableParquet(
          name,
          `has decimals, local times or values of the type VARIANT inside a nested column, at ${inexact}, which cannot be read exactly`,
        );
    }
    return new ParquetRecords(parquet, options);
  }

  get readUntil(): number {
    return this.parquet.rows;
  }

  /** The type of each column by the schema; undefined if columns have parts. */
  get types(): ReadonlyMap<string, CellType> | undefined {
    if (!this.rows) return undefined;
    return new Map(this.columns.map((column) => [column.name, column.leaf!.type]));
  }

  async more(): Promise<boolean> {
    const next = await this.slices.next();
    this.slice = next.done ? undefined : next.value;
    this.ended = next.done === true;
    return !this.ended;
  }

  drain(sink: RecordSink): void {
    const { slice } = this;
    if (!slice) return;
    const end = slice.firstRow + slice.rows;
    while (this.position < end && !sink.done && !sink.full) {
      const row = this.position++;
      if (sink.countRecord()) this.pass(slice, row - slice.firstRow, sink);
      else sink.skip(this.position);
    }
    if (this.position >= end) this.slice = undefined;
  }

  private pass(slice: Slice, index: number, sink: RecordSink): void {
    const place = { file: this.options.name, line: this.position, offset: this.position - 1 };
    if (this.written(slice, index, sink)) {
      this.record(place, slice, sink);
      return;
    }
    const error = this.rows ? this.table(this.rows, slice, index, sink) : this.mapped(slice, index, sink);
    if (error && 'filtered' in error) sink.filter(this.position);
    else if (error) sink.reject({ ...place, ...error, raw: this.text(slice, index).text }, this.position);
    else this.record(place, slice, sink);
  }

  private record({ line, offset }: { line: number; offset: number }, slice: Slice, sink: RecordSink): void {
    const { bytes, start, end, time } = this.made;
    // One function for all rows of a slice: it is kept until the service has answered.
    if (this.rawOf?.slice !== slice)
      this.rawOf = { slice, raw: (row) => this.text(slice, row - slice.firstRow).text };
    sink.record(bytes, start, end, line, offset, this.position, this.rawOf.raw, time);
  }

  /** Writes the record of a row from the bytes of its cells. Returns false for one that may not be valid. */
  private written(slice: Slice, index: number, sink: RecordSink): boolean {
    const { cells, made } = this;
    const writer = this.rows?.writer;
    if (!writer || !cells) return false;
    cells.clear();
    for (let i = 0; i < slice.columns.length; i++)
      if (!this.addCell(cells, slice.columns[i]!, index, this.columns[i]!.leaf!)) return false;
    if (cells.length > LONGEST_WRITTEN) return false;
    const at = made.next(writer.longest(cells.length), sink);
    const end = writer.write(cells.bytes, cells, made.bytes, at);
    if (end < 0) return false;
    made.keep(end);
    made.time = writer.time;
    return true;
  }

  private addCell(cells: RowCells, values: Values, index: number, leaf: LeafColumn): boolean {
    if (values instanceof TextValues && leaf.isText) {
      const start = values.start[index]!;
      return cells.addBytes(values.bytes, start < 0 ? 0 : start, start < 0 ? 0 : values.end[index]!);
    }
    const value = valueAt(values, index);
    if (value instanceof Uint8Array && leaf.isText) return cells.addBytes(value, 0, value.length);
    const text = value === null || value === undefined ? '' : leaf.text(value);
    if (typeof text !== 'string') return false;
    cells.addText(text);
    return true;
  }

  /** Makes the record of a row of plain columns. */
  private table(
    rows: RowMapper,
    slice: Slice,
    index: number,
    sink: RecordSink,
  ): ValidationError | typeof FILTERED | null {
    const { columns } = this;
    const cells = new Array<string>(columns.length);
    for (let i = 0; i < columns.length; i++) {
      const value = valueAt(slice.columns[i]!, index);
      const cell = value === null || value === undefined ? '' : columns[i]!.leaf!.text(value);
      if (typeof cell !== 'string') return { field: columns[i]!.name, reason: cell.reason };
      cells[i] = cell;
    }
    const made = rows.record(cells);
    return 'field' in made || 'filtered' in made
      ? made
      : this.made.put(made.text, made.errors, this.options.mapping, sink);
  }

  /** Makes the record of a row with nested columns. */
  private mapped(slice: Slice, index: number, sink: RecordSink): ValidationError | typeof FILTERED | null {
    const { text, problem } = this.text(slice, index);
    if (problem) return problem;
    const bytes = Buffer.from(text);
    const reason = excessOf(bytes, 0, bytes.length);
    if (reason !== undefined) return { field: 'record', reason };
    const mapped = this.json(text);
    if ('field' in mapped || 'filtered' in mapped) return mapped;
    this.made.write(mapped.text, sink);
    return null;
  }

  /** The row as a JSON object, without its missing values. */
  private text(slice: Slice, index: number): { text: string; problem: ValidationError | undefined } {
    let text = '';
    let problem: ValidationError | undefined;
    for (const [i, { name, prefix, leaf }] of this.columns.entries()) {
      const value = valueAt(slice.columns[i]!, index);
      if (value === null || value === undefined) continue;
      const cell = leaf ? leaf.text(value) : nestedText(value);
      if (typeof cell !== 'string') problem ??= { field: name, reason: cell.reason };
      else if (leaf?.type === 'number' && !Number.isFinite(Number(cell)))
        problem ??= { field: name, reason: `is ${cell}, which is not a JSON number` };
      else text += `,${prefix}${leaf?.type === 'string' ? JSON.stringify(cell) : cell}`;
    }
    return { text: `{${text.slice(1)}}`, problem };
  }
}
