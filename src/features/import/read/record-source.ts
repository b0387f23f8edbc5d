import type { Batcher } from '../batch/batcher.ts';
import type { CellType } from '../transform/mapping.ts';
import type { Window } from './window.ts';

/** Receives the records of an input in order; the batcher, or a collector of samples. */
export type RecordSink = Pick<
  Batcher,
  'done' | 'full' | 'countRecord' | 'record' | 'reject' | 'skip' | 'filter' | 'flushPending'
>;

/** Passes the complete records in a window to a sink. */
export interface RecordReader {
  /** The delimiter of the cells of a table, once its header was read. */
  readonly delimiter?: string;
  /** The text of the header of a CSV, and its line from 1. */
  readonly headerText?: string | undefined;
  readonly headerLine?: number;
  /** Passes on all complete records; at the end of the input, all records. Stops where the sink is full. */
  drain(window: Window, sink: RecordSink): void;
}

/** The records of one input, of any format. */
export interface RecordSource {
  /** No more can be read. */
  readonly ended: boolean;
  /** Position after the last record that was passed on, as in the journal. */
  readonly position: number;
  /** Position up to which the input was read. */
  readonly readUntil: number;
  /** The delimiter of the cells of a table, once its header was read. */
  readonly delimiter?: string | undefined;
  /** The text of the header of a CSV, and its line from 1. */
  readonly headerText?: string | undefined;
  readonly headerLine?: number | undefined;
  /** The types that the input itself gives its columns. */
  readonly types?: ReadonlyMap<string, CellType> | undefined;
  /** Passes on all complete records that were read so far; stops where the sink is full. */
  drain(sink: RecordSink): void;
  /** Reads more. Invalidates references into buffers that were passed on. */
  more(): Promise<unknown>;
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
    get headerText() {
      return reader.headerText;
    },
    get headerLine() {
      return reader.headerLine;
    },
    drain: (sink) => reader.drain(window, sink),
    more: () => window.more(),
  };
}
