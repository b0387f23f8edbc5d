import { breathe } from '../input/stopped.ts';
import type { CellType } from '../record/cell-type.ts';
import type { InputInfo } from './open.ts';
import { FILTERED, type MappersFor, type RecordMappers } from './record-mappers.ts';
import type { RecordSink, RecordSource } from './record-source.ts';

/** Limits of a sample, whichever is reached first. */
export interface SampleLimits {
  readonly records: number;
  /** Decompressed bytes. */
  readonly bytes: number;
}

export const SAMPLE: SampleLimits = { records: 1000, bytes: 1024 * 1024 };

/** The first records of an input as they were read, before any mapping. */
export interface Sample {
  readonly input: InputInfo;
  /** The first lines that are not UTF-8 text. */
  readonly undecoded: Buffer;
  /** The names of the columns; undefined for JSON. */
  readonly header: readonly string[] | undefined;
  /** The cells that the names of the columns are made of. */
  readonly first?: readonly string[] | undefined;
  readonly delimiter: string | undefined;
  readonly trailing?: boolean | undefined;
  readonly dashes?: boolean | undefined;
  /** The types that a Parquet file gives its columns. */
  readonly types?: ReadonlyMap<string, CellType> | undefined;
  /** The cells of each row of a table; empty for JSON. */
  readonly rows: readonly (readonly string[])[];
  /** The rows that decide the types of the columns. */
  readonly typeRows: readonly (readonly string[])[];
  /** The text of each JSON record; empty for a table. */
  readonly texts: readonly string[];
  /** Records that were read, with those that have no readable form, such as invalid UTF-8. */
  readonly records: number;
  /** Decompressed bytes of those records. */
  readonly bytes: number;
  /** Those bytes as they are in the file. */
  readonly taken: number;
  /** The sample is the whole input. */
  readonly whole: boolean;
}

/** Collects the records of an input, and maps them to nothing. */
class Collector implements RecordMappers, RecordSink {
  header: readonly string[] | undefined;
  readonly cells: string[][] = [];
  readonly texts: string[] = [];
  records = 0;
  readonly full = false;
  readonly scan = undefined;
  /** Characters that were collected: a page of Parquet passes many long rows on at once. */
  private length = 0;
  private readonly limits: SampleLimits;

  constructor(limits: SampleLimits) {
    this.limits = limits;
  }

  get done(): boolean {
    return this.records >= this.limits.records || this.length >= this.limits.bytes;
  }

  readonly json: RecordMappers['json'] = (text) => {
    this.texts.push(text);
    this.length += text.length;
    return FILTERED;
  };

  readonly rows: RecordMappers['rows'] = (header) => {
    this.header = header;
    return {
      notices: [],
      record: (cells) => {
        this.cells.push(cells);
        for (const cell of cells) this.length += cell.length;
        return FILTERED;
      },
    };
  };

  countRecord(): boolean {
    this.records++;
    return true;
  }

  checkNames(): void {}
  record(): void {}
  reject(): void {}
  skip(): void {}
  filter(): void {}
  flushPending(): void {}
}

/**
 * Reads records until a limit or the end is reached, or `bytesReady`, where a pipe has no more for now. `open` makes the
 * source of the records.
 */
export async function readSample(
  open: (mappers: MappersFor) => Promise<RecordSource>,
  limits: SampleLimits,
  bytesReady = Number.POSITIVE_INFINITY,
): Promise<Omit<Sample, 'input' | 'undecoded' | 'taken'>> {
  const found = new Collector(limits);
  const source = await open(() => found);
  for (;;) {
    source.drain(found);
    await breathe();
    if (found.done || source.ended || source.position >= limits.bytes) break;
    if (source.readUntil >= bytesReady) break;
    await source.more();
  }
  const { header, cells, texts, records } = found;
  const { types, typeRows = cells, position, delimiter, trailing, dashes } = source;
  await source.release?.();
  return {
    header,
    first: header,
    delimiter,
    trailing,
    dashes,
    rows: cells,
    typeRows,
    texts,
    types,
    records,
    bytes: position,
    whole: source.ended && position >= source.readUntil,
  };
}
