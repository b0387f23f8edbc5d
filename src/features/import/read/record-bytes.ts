import type { Mapping } from '../transform/mapping.ts';
import { scanEvent, scanned } from '../transform/scan-event.ts';
import { checkRecord } from '../transform/validate.ts';
import type { ValidationError } from '../transform/validation-errors.ts';
import type { RecordSink } from './record-source.ts';

const LINE_FEED = 0x0a;
/** The size of the buffer at first and later: an archive may have many small files. */
const INITIAL = 4096;
const CAPACITY = 256 * 1024;

/**
 * Writes records that were made from rows to a buffer, one after the other, with one byte between them. They remain in
 * the buffer until the sink has copied them.
 */
export class RecordBytes {
  bytes: Buffer = Buffer.allocUnsafeSlow(INITIAL);
  /** Where the current record starts, and the index after it. */
  start = 0;
  end = 0;
  /** Index of its timestamp; -1 if unknown. */
  time = -1;
  private kept = -1;

  /** Starts a record of at most `limit` bytes in place of one that was not kept. Returns where it starts. */
  next(limit: number, sink: Pick<RecordSink, 'flushPending'>): number {
    this.start = this.kept + 1;
    this.time = -1;
    // A byte after the record stops a scan, or becomes the comma before the next one.
    if (this.start + limit >= this.bytes.length) {
      sink.flushPending();
      this.start = 0;
      const { length } = this.bytes;
      if (limit >= length || length < CAPACITY)
        this.bytes = Buffer.allocUnsafeSlow(Math.max(limit + 1, Math.min(length * 8, CAPACITY)));
    }
    return this.start;
  }

  /** Keeps the current record, which ends at `end`. */
  keep(end: number): void {
    this.end = end;
    this.kept = end;
  }

  /** Writes a record that is valid. */
  write(text: string, sink: Pick<RecordSink, 'flushPending'>): void {
    const start = this.next(text.length * 3, sink);
    this.keep(start + this.bytes.write(text, start, 'utf8'));
  }

  /** Writes a record and validates it: by the scan, and by the schema if the scan cannot decide. */
  put(
    text: string,
    known: readonly ValidationError[],
    mapping: Mapping,
    sink: Pick<RecordSink, 'flushPending'>,
  ): ValidationError | null {
    if (known.length > 0) return checkRecord(mapping, text, known);
    const { kept } = this;
    this.write(text, sink);
    const { bytes, start, end } = this;
    bytes[end] = LINE_FEED;
    if (mapping.validate && mapping.kind === 'events' && scanEvent(bytes, start) === end) {
      this.time = scanned.timestamp;
      return null;
    }
    const error = checkRecord(mapping, text);
    if (error) this.kept = start === 0 ? -1 : kept;
    return error;
  }
}
