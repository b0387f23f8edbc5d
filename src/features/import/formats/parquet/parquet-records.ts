import type { FileHandle } from 'node:fs/promises';
import type { CellType } from '../../record/cell-type.ts';
import type { ValidationError } from '../../record/validation-errors.ts';
import { excessOf } from '../json/record-shape.ts';
import type { Mapped, MappersFor, RecordMappers, RowMapper } from '../record-mappers.ts';
import { passMapped, type RecordSink, type RecordSource } from '../record-source.ts';
import { inexactPart, type LeafColumn, leafColumn, nestedText } from './cells.ts';
import { collectGarbage } from './collect-garbage.ts';
import { ParquetFile, type Slice, unreadableParquet, valueAt } from './parquet-file.ts';
import { TextValues } from './text-values.ts';

/**
 * After so many bytes of values of a large page that became a record, or the text of a row, the copies in between are collected:
 * the page is memory enough.
 */
const COLLECTED_BYTES = 4 * 1024 * 1024;

export interface ParquetOptions {
  readonly file: FileHandle;
  readonly size: number;
  readonly name: string;
  readonly mappers: MappersFor;
  readonly onNotice: (text: string) => void;
}

interface Column {
  readonly name: string;
  /** JSON of the name, with a colon. */
  readonly prefix: string;
  /** Undefined for a column with parts. */
  readonly leaf: LeafColumn | undefined;
}

/**
 * The rows of a Parquet file. A position is a row number, from 0. Rows of plain columns are mapped like those of a CSV
 * whose columns have the types of the schema, other rows like JSON whose members become properties.
 */
export class ParquetRecords implements RecordSource {
  position = 0;
  ended = false;
  /** The type of each column by the schema; undefined if columns have parts. */
  readonly types: ReadonlyMap<string, CellType> | undefined;
  private readonly parquet: ParquetFile;
  private readonly options: ParquetOptions;
  private readonly columns: readonly Column[];
  private readonly slices: AsyncGenerator<Slice>;
  /** Maps the rows if all columns are plain. */
  private readonly rows: RowMapper | undefined;
  private readonly json: RecordMappers['json'];
  private slice: Slice | undefined;
  /** Bytes of values of large pages since the last collection. */
  private passedBytes = 0;

  private constructor(parquet: ParquetFile, options: ParquetOptions) {
    const { name, mappers, onNotice } = options;
    this.parquet = parquet;
    this.options = options;
    this.columns = parquet.columns.map(({ element, children }) => ({
      name: element.name,
      prefix: `${JSON.stringify(element.name)}:`,
      leaf: children.length > 0 || element.repetition_type === 'REPEATED' ? undefined : leafColumn(element),
    }));
    const names = this.columns.map((column) => column.name);
    const leaves = this.columns.filter(({ leaf }) => leaf !== undefined);
    this.slices = parquet.slices(new Set(leaves.map((column) => column.name)));
    const isTable = leaves.length === this.columns.length;
    if (isTable) this.types = new Map(this.columns.map((column) => [column.name, column.leaf!.type]));
    const made = mappers(this.types ?? new Map());
    made.checkNames(names, name);
    this.json = made.json;
    if (!isTable) return;
    this.rows = made.rows(names, name);
    for (const notice of this.rows.notices) onNotice(notice);
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

  async more(): Promise<boolean> {
    const next = await this.slices.next();
    this.slice = next.done ? undefined : next.value;
    this.ended = next.done === true;
    return !this.ended;
  }

  async release(): Promise<void> {
    this.slice = undefined;
    await this.slices.return(undefined);
  }

  drain(sink: RecordSink): void {
    const { slice } = this;
    if (!slice) return;
    const end = slice.firstRow + slice.rows;
    while (this.position < end && !sink.done && !sink.full) {
      const row = this.position++;
      if (!sink.countRecord()) sink.skip(this.position);
      else this.pass(slice, row - slice.firstRow, sink);
    }
    if (this.position >= end) this.slice = undefined;
  }

  private pass(slice: Slice, index: number, sink: RecordSink): void {
    const place = { file: this.options.name, line: this.position, offset: this.position - 1 };
    const mapped = this.rows ? this.table(this.rows, slice, index) : this.mapped(slice, index);
    const raw = () => this.text(slice, index).text;
    this.collect(slice, index);
    passMapped(sink, mapped, place, this.position, slice.reused && !('filtered' in mapped) ? raw() : raw);
    this.collect(slice, index);
  }

  private collect({ columns, reused }: Slice, index: number): void {
    if (!reused) return;
    for (const column of columns)
      this.passedBytes += column instanceof TextValues ? column.lengthAt(index) : 0;
    if (this.passedBytes < COLLECTED_BYTES) return;
    this.passedBytes = 0;
    collectGarbage();
  }

  /** Makes the record of a row of plain columns. */
  private table(rows: RowMapper, slice: Slice, index: number): Mapped {
    const { columns } = this;
    const cells = new Array<string>(columns.length);
    for (let i = 0; i < columns.length; i++) {
      const value = valueAt(slice.columns[i]!, index);
      const cell = value === null || value === undefined ? '' : columns[i]!.leaf!.text(value);
      if (typeof cell !== 'string') return { field: columns[i]!.name, reason: cell.reason };
      cells[i] = cell;
    }
    return rows.record(cells);
  }

  /** Makes the record of a row with nested columns. */
  private mapped(slice: Slice, index: number): Mapped {
    const { text, problem } = this.text(slice, index);
    if (problem) return problem;
    // Another byte that may be overwritten follows the record.
    const bytes = Buffer.from(`${text}\n`);
    const length = bytes.length - 1;
    const reason = excessOf(bytes, 0, length);
    if (reason !== undefined) return { field: 'record', reason };
    const mapped = this.json(text);
    return 'unchanged' in mapped ? { bytes, length, time: -1 } : mapped;
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
