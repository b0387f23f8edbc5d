import type { Window } from '../input/window.ts';
import type { CellType } from '../record/cell-type.ts';
import type { Reject } from '../record/reject.ts';
import type { Reading, RowForm } from './reading.ts';
import type { Mapped, MappersFor } from './record-mappers.ts';

/** Receives the records of an input in order. */
export interface RecordSink {
  /** No more records are wanted. */
  readonly done: boolean;
  /** What was received has to be taken before a reader goes on. */
  readonly full: boolean;
  /** Counts a record and returns whether it is wanted. Call it once per record, before adding it. */
  countRecord(): boolean;
  /**
   * Adds the record in `buffer[start..end)`, which is copied by the next `flushPending`. `buffer[end]` is a byte that may
   * be overwritten. `next` is the offset in the input after the record. `raw`: the record as it was read, or what makes it
   * of its offset, if the bytes are not those of the input. `time` is the index of its timestamp in the buffer; without
   * it, the record is parsed for it. `file`: the input that it came from.
   */
  record(
    buffer: Buffer,
    start: number,
    end: number,
    line: number,
    offset: number,
    next: number,
    raw?: string | ((offset: number) => string),
    time?: number,
    file?: string,
  ): void;
  /** Adds a record that must not be sent. */
  reject(reject: Reject, next: number): void;
  /** Skips a line that is not a record. */
  skip(next: number): void;
  /** Skips the record that was counted last: `--where` leaves it out. */
  filter(next: number): void;
  /** Copies the records that are still in the buffer of the reader. Call it before that buffer changes. */
  flushPending(): void;
}

/** Where a record is in its input. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly offset: number;
}

/** Passes what became of a record to a sink. `next`: the offset after it. */
export function passMapped(
  sink: RecordSink,
  mapped: Mapped,
  { file, line, offset }: Place,
  next: number,
  raw: string | ((offset: number) => string),
): void {
  if ('filtered' in mapped) sink.filter(next);
  else if ('field' in mapped) {
    const text = typeof raw === 'string' ? raw : raw(offset);
    sink.reject({ file, line, offset, ...mapped, raw: text }, next);
  } else {
    sink.record(mapped.bytes, 0, mapped.length, line, offset, next, raw, mapped.time, file);
    sink.flushPending();
  }
}

/** Passes the complete records in a window to a sink. */
export interface RecordReader extends RowForm {
  /** The delimiter of the cells of a table, once its header was read. */
  readonly delimiter?: string;
  /** The cells of the header of a CSV. */
  readonly header?: readonly string[] | undefined;
  /** Passes on all complete records; at the end of the input, all records. Stops where the sink is full. */
  drain(window: Window, sink: RecordSink): void;
}

/** The records of one input, of any format. */
export interface RecordSource extends Omit<RecordReader, 'drain'> {
  /** No more can be read. */
  readonly ended: boolean;
  /** Position after the last record that was passed on, as in the journal. */
  readonly position: number;
  /** Position up to which the input was read. */
  readonly readUntil: number;
  /** The types that the input itself gives its columns. */
  readonly types?: ReadonlyMap<string, CellType> | undefined;
  /** The rows that decide the types of columns in place of those that are read. */
  readonly typeRows?: readonly (readonly string[])[] | undefined;
  /** Passes on all complete records that were read so far; stops where the sink is full. */
  drain(sink: RecordSink): void;
  /** Reads more. Invalidates references into buffers that were passed on. */
  more(): Promise<unknown>;
  /** Ends the reading before the end of the input, and gives back its memory. */
  release?(): Promise<unknown>;
}

/** The records of a stream of bytes. */
export function recordsIn(window: Window, reader: RecordReader): RecordSource {
  return {
    get ended() {
      return window.ended;
    },
    get position() {
      return window.offset;
    },
    get readUntil() {
      return window.base + window.end;
    },
    get delimiter() {
      return reader.delimiter;
    },
    get header() {
      return reader.header;
    },
    get trailing() {
      return reader.trailing;
    },
    get dashes() {
      return reader.dashes;
    },
    drain: (sink) => reader.drain(window, sink),
    more: () => window.more(),
  };
}

/** How the records of an input are read. */
export interface RecordsOptions {
  readonly mappers: MappersFor;
  readonly reading: Reading;
  /** Longest record in bytes. */
  readonly longest: number;
  readonly onNotice: (text: string) => void;
}
