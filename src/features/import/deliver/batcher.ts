import { MAX_BATCH, MAX_BODY_BYTES } from '../../../contract/limits.ts';
import type { RecordKind } from '../record/record-kind.ts';
import type { Reject } from '../record/reject.ts';
import type { Shard } from '../record/shard.ts';
import { type Batch, type Checkpoint, InputChanged, RecordTable, sizeOf } from './batch.ts';
import { RequestBody } from './request-body.ts';
import { TimeSpan } from './time-span.ts';

export interface BatcherOptions {
  readonly kind: RecordKind;
  /** Records per request, at most 1,000. */
  readonly size: number;
  /** Returns the checkpoints of earlier runs, in order; the same ranges are cut again. */
  readonly nextCheckpoint?: () => Checkpoint | undefined;
  /** Records may have been appended to the inputs since: they lie between the checkpoints of two inputs. */
  readonly appended?: boolean;
  /** Stop after this many records. */
  readonly limit?: number | undefined;
  /** Stop after this many rejects; those of acknowledged ranges do not count. */
  readonly maxErrors?: number | undefined;
}

/** So many complete batches wait before a reader pauses: a window of short invalid lines would become a thousand. */
const MAX_READY = 16;
/** So many bytes of complete batches do: a page of Parquet may become all of these. */
const MAX_READY_BYTES = MAX_BODY_BYTES;

/** Collects records into batches of at most `size` records and 8 MiB of body. */
export class Batcher {
  /** No more records are wanted: a limit was reached. */
  done = false;
  /** Records read so far, without blank lines and the records of other shards. */
  read = 0;
  /** The first and the last timestamp of the valid records. */
  readonly times = new TimeSpan();
  /** Records that `--where` left out, which are not in `read`. */
  filtered = 0;
  private readonly options: BatcherOptions;
  private readonly size: number;
  private readonly limit: number;
  private readonly maxErrors: number;
  private readonly ready: Batch[] = [];
  /** Bytes of the batches in `ready`, with those that were taken since it was empty. */
  private readyBytes = 0;
  private file = 0;
  /** Offset after the last line that was added: where the next batch starts. */
  private position = 0;
  private shard: Shard | undefined;
  private recordIndex = 0;
  private errors = 0;
  private nextCheckpoint: Checkpoint | undefined;

  // The open batch.
  private open = false;
  private start = 0;
  private firstLine = 0;
  private lastLine = 0;
  private checkpoint: Checkpoint | undefined;
  private readonly body: RequestBody;
  private records: RecordTable;
  private rejects: Reject[] = [];
  private rejectBytes = 0;
  /** Bytes of the records as they were read. */
  private rawBytes = 0;

  constructor(options: BatcherOptions) {
    this.options = options;
    this.size = Math.min(options.size, MAX_BATCH);
    this.limit = options.limit ?? Number.POSITIVE_INFINITY;
    this.maxErrors = options.maxErrors ?? Number.POSITIVE_INFINITY;
    this.body = new RequestBody(options.kind);
    this.records = new RecordTable(this.size);
    this.nextCheckpoint = options.nextCheckpoint?.();
  }

  /** Counts a record and returns whether it belongs to this import. Call it once per record, before adding it. */
  countRecord(): boolean {
    const { shard } = this;
    if (shard && this.recordIndex++ % shard.count !== shard.index) return false;
    this.read++;
    return true;
  }

  /** Starts the next input at an offset. With `shard`, the other records belong to other shards. */
  nextFile(file: number, offset: number, shard?: Shard): void {
    this.file = file;
    this.position = offset;
    this.shard = shard;
    this.recordIndex = 0;
  }

  /**
   * Adds the record in `buffer[start..end)`, which is copied by the next `flushPending`. `buffer[end]` must be the byte
   * after its line, a line feed, which may be overwritten. `next` is the offset in the input after the line. `raw`: the
   * record as it was read, or what makes it of its offset, if the bytes are not those of the input. `time` is the index of its timestamp in the buffer; without it, the record is parsed for it.
   */
  record(
    buffer: Buffer,
    start: number,
    end: number,
    line: number,
    offset: number,
    next: number,
    raw?: string | ((offset: number) => string),
    time = -1,
    file?: string,
  ): void {
    const length = end - start;
    if (time >= 0) this.times.add(buffer, time);
    else if (this.options.kind === 'events') this.times.addRecord(buffer.toString('utf8', start, end));
    if (this.open && !this.body.fits(length)) this.cut();
    this.openAt(line);
    const at = this.body.append(buffer, start, end);
    const { records } = this;
    const index = records.count++;
    records.start[index] = at;
    records.end[index] = at + length;
    records.line[index] = line;
    records.offset[index] = offset;
    if (raw !== undefined) records.raws[index] = raw;
    if (typeof raw === 'string') this.rawBytes += raw.length;
    if (file !== undefined) records.files[index] = file;
    this.advance(line, next, records.count >= this.size);
  }

  /** Adds a record that must not be sent. */
  reject(reject: Reject, next: number): void {
    this.openAt(reject.line);
    this.rejects.push(reject);
    this.rejectBytes += reject.raw.length;
    if (!this.checkpoint?.acknowledged && ++this.errors >= this.maxErrors) this.done = true;
    this.advance(reject.line, next, this.rejects.length >= this.size || this.rejectBytes > MAX_BODY_BYTES);
  }

  /** Skips the record that was counted last: `--where` leaves it out. */
  filter(next: number): void {
    this.read--;
    this.filtered++;
    this.skip(next);
  }

  /** Skips a line that is not a record of this import. */
  skip(next: number): void {
    if (this.open) this.advance(this.lastLine, next, false);
    else this.position = next;
  }

  /** Copies the records that are still in the buffer of the reader. Call it before that buffer changes. */
  flushPending(): void {
    this.body.flushPending();
  }

  /** Complete batches wait to be taken: a reader pauses, and goes on with what it has read once they were taken. */
  get full(): boolean {
    return this.ready.length >= MAX_READY || this.readyBytes >= MAX_READY_BYTES;
  }

  /** True while a batch is open. */
  get partial(): boolean {
    return this.open;
  }

  /** The limit on errors was reached. */
  get tooManyErrors(): boolean {
    return this.errors >= this.maxErrors;
  }

  /** Records that were read and are not in a batch that was taken. */
  get waiting(): number {
    const open = this.open ? this.records.count + this.rejects.length : 0;
    return this.ready.reduce((sum, batch) => sum + sizeOf(batch), open);
  }

  /** The inputs end before the last checkpoint of an earlier run. */
  get short(): boolean {
    return this.nextCheckpoint !== undefined && !this.open && this.ready.length === 0;
  }

  /** Closes the open batch, full or not. */
  cut(): void {
    if (!this.open) return;
    const body = this.body.finish();
    this.readyBytes += body.length + this.rejectBytes + this.rawBytes;
    this.ready.push({
      file: this.file,
      start: this.start,
      end: this.position,
      firstLine: this.firstLine,
      lastLine: this.lastLine,
      body,
      records: this.records,
      rejects: this.rejects,
      checkpoint: this.checkpoint,
    });
    this.records = new RecordTable(this.size);
    this.rejects = [];
    this.rejectBytes = 0;
    this.rawBytes = 0;
    this.open = false;
    if (!this.checkpoint) return;
    this.checkpoint = undefined;
    this.nextCheckpoint = this.options.nextCheckpoint?.();
  }

  /** Takes the next complete batch. */
  take(): Batch | undefined {
    const batch = this.ready.shift();
    if (this.ready.length === 0) this.readyBytes = 0;
    return batch;
  }

  private openAt(line: number): void {
    if (this.open) return;
    this.open = true;
    this.start = this.position;
    this.firstLine = line;
    this.body.start();
    const { nextCheckpoint, options } = this;
    if (!nextCheckpoint || (options.appended && nextCheckpoint.file > this.file)) return;
    if (nextCheckpoint.file !== this.file || nextCheckpoint.start !== this.start)
      throw new InputChanged(this.file, this.start);
    this.checkpoint = nextCheckpoint;
  }

  /** Moves to the offset after a line, and closes the batch if it is full or a limit or a checkpoint is reached. */
  private advance(line: number, next: number, full: boolean): void {
    this.position = next;
    this.lastLine = line;
    if (this.read >= this.limit) this.done = true;
    // An earlier run may have cut a shorter batch: after a pause of a pipe, or when it was stopped.
    if (full || this.done || (this.checkpoint && next >= this.checkpoint.end)) this.cut();
  }
}
