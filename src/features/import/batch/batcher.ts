import { MAX_BATCH, MAX_BODY_BYTES } from '../../../contract/limits.ts';
import type { Reject } from '../report/reject.ts';
import type { RecordKind } from '../transform/record-kind.ts';
import { type Batch, type Checkpoint, InputChanged, RecordTable, sizeOf } from './batch.ts';

export interface BatcherOptions {
  readonly kind: RecordKind;
  /** Records a request, at most 1,000. */
  readonly size: number;
  /** The borders that an earlier run has cut, in order; the same ranges are cut again. */
  readonly nextCheckpoint?: () => Checkpoint | undefined;
  /** Records may have been appended to the inputs since: they stand between the borders of one and the next. */
  readonly appended?: boolean;
  /** Stop after this many records. */
  readonly limit?: number | undefined;
  /** Stop after this many rejects, those of acknowledged ranges not counted. */
  readonly maxErrors?: number | undefined;
}

const SUFFIX = Buffer.from(']}');
const FIRST_BODY = 64 * 1024;
const COMMA = 0x2c;

/** Bytes of a request body around its records. */
export function envelopeBytes(kind: RecordKind): number {
  return prefixOf(kind).length + SUFFIX.length;
}

/** The longest record that a request can hold, in bytes. */
export function longestRecord(kind: RecordKind): number {
  return MAX_BODY_BYTES - envelopeBytes(kind);
}

function prefixOf(kind: RecordKind): Buffer {
  return Buffer.from(`{"${kind}":[`);
}

/**
 * Collects records into batches of at most `size` records and 8 MiB of body. Records that stand side by side in the
 * input are copied in one go: the line feed between them becomes the comma of the array.
 */
export class Batcher {
  /** Nothing more is wanted: a limit was reached. */
  done = false;
  /** Records looked at (blank lines and other shards' records are none). */
  read = 0;
  private readonly options: BatcherOptions;
  private readonly prefix: Buffer;
  private readonly size: number;
  private readonly ready: Batch[] = [];
  private file = 0;
  /** Offset behind the last line that is settled: where the next batch begins. */
  private position = 0;
  private deal: { readonly take: number; readonly of: number } | undefined;
  private seen = 0;
  private errors = 0;

  // The batch that grows.
  private open = false;
  private start = 0;
  private firstLine = 0;
  private lastLine = 0;
  private checkpoint: Checkpoint | undefined;
  private wanted: Checkpoint | undefined;
  private body: Buffer = Buffer.alloc(0);
  private filled = 0;
  private capacity = FIRST_BODY;
  private table: RecordTable;
  private rejects: Reject[] = [];
  private rejectBytes = 0;

  // Records side by side in the window that are not copied yet.
  private runBuffer: Buffer | undefined;
  private runStart = 0;
  private runEnd = 0;

  constructor(options: BatcherOptions) {
    this.options = options;
    this.prefix = prefixOf(options.kind);
    this.size = Math.min(options.size, MAX_BATCH);
    this.table = new RecordTable(this.size);
    this.wanted = options.nextCheckpoint?.();
  }

  /** Asked once for each record, before it is looked at: is it this import's? */
  wants(): boolean {
    const { deal } = this;
    if (deal && this.seen++ % deal.of !== deal.take) return false;
    this.read++;
    return true;
  }

  /** Begins the next input at an offset. With `deal` only the records with index % of = take are this import's. */
  nextFile(file: number, at: number, deal?: { readonly take: number; readonly of: number }): void {
    this.file = file;
    this.position = at;
    this.deal = deal;
    this.seen = 0;
  }

  /**
   * Adds the record in `buffer[start..end)`. `buffer[end]` must be the byte behind its line, a line feed, which may
   * be overwritten. `next` is the offset in the input behind the line. With `raw` the bytes are not the input's own
   * and are copied at once.
   */
  record(
    buffer: Buffer,
    start: number,
    end: number,
    line: number,
    offset: number,
    next: number,
    raw?: string,
  ): void {
    const length = end - start;
    if (this.open && this.bodyLength() + length + 1 + SUFFIX.length > MAX_BODY_BYTES) this.cut();
    this.begin(line);
    if (raw !== undefined || this.runBuffer !== buffer || this.runEnd + 1 !== start) {
      this.flushPending();
      this.runBuffer = buffer;
      this.runStart = start;
    } else buffer[this.runEnd] = COMMA;
    this.runEnd = end;
    const table = this.table;
    const at = this.filled + (this.filled > this.prefix.length ? 1 : 0) + start - this.runStart;
    const index = table.count++;
    table.start[index] = at;
    table.end[index] = at + length;
    table.line[index] = line;
    table.offset[index] = offset;
    if (raw !== undefined) {
      table.raws[index] = raw;
      this.flushPending();
    }
    this.settle(line, next, table.count >= this.size);
  }

  /** Adds a record that must not be sent. */
  reject(reject: Reject, next: number): void {
    this.begin(reject.line);
    this.rejects.push(reject);
    this.rejectBytes += reject.raw.length;
    const { maxErrors } = this.options;
    if (!this.checkpoint?.acknowledged && maxErrors !== undefined && ++this.errors >= maxErrors) this.done = true;
    this.settle(reject.line, next, this.rejects.length >= this.size || this.rejectBytes > MAX_BODY_BYTES);
  }

  /** Passes over a line that is no record of this import. */
  skip(next: number): void {
    if (!this.open) this.position = next;
    else this.settle(this.lastLine, next, false);
  }

  /** Copies what still lies in the window; to be called before the window moves. */
  flushPending(): void {
    if (!this.runBuffer) return;
    const length = this.runEnd - this.runStart;
    const comma = this.filled > this.prefix.length ? 1 : 0;
    this.reserve(this.filled + comma + length + SUFFIX.length);
    if (comma) this.body[this.filled++] = COMMA;
    this.runBuffer.copy(this.body, this.filled, this.runStart, this.runEnd);
    this.filled += length;
    this.runBuffer = undefined;
  }

  /** True while a batch has begun and is not full. */
  get partial(): boolean {
    return this.open;
  }

  /** The limit on errors was reached, rather than the one on records. */
  get tooManyErrors(): boolean {
    return this.options.maxErrors !== undefined && this.errors >= this.options.maxErrors;
  }

  /** Records that were read and are in no batch yet that was taken. */
  get waiting(): number {
    const open = this.open ? this.table.count + this.rejects.length : 0;
    return this.ready.reduce((sum, batch) => sum + sizeOf(batch), open);
  }

  /** An earlier run got further than this input goes. */
  get short(): boolean {
    return this.wanted !== undefined && !this.open && this.ready.length === 0;
  }

  /** Ends the batch that grows, full or not. */
  cut(): void {
    if (!this.open) return;
    this.flushPending();
    this.reserve(this.filled + SUFFIX.length);
    SUFFIX.copy(this.body, this.filled);
    const length = this.filled + SUFFIX.length;
    this.ready.push({
      file: this.file,
      start: this.start,
      end: this.position,
      firstLine: this.firstLine,
      lastLine: this.lastLine,
      body: this.body.subarray(0, length),
      records: this.table,
      rejects: this.rejects,
      checkpoint: this.checkpoint,
    });
    this.capacity = Math.max(FIRST_BODY, Math.ceil(length * 1.05));
    this.table = new RecordTable(this.size);
    this.rejects = [];
    this.rejectBytes = 0;
    this.open = false;
    if (this.checkpoint) {
      this.checkpoint = undefined;
      this.wanted = this.options.nextCheckpoint?.();
    }
  }

  /** The next batch that is complete. */
  take(): Batch | undefined {
    return this.ready.shift();
  }

  private bodyLength(): number {
    return this.filled + (this.runBuffer ? this.runEnd - this.runStart + 1 : 0);
  }

  private begin(line: number): void {
    if (this.open) return;
    this.open = true;
    this.start = this.position;
    this.firstLine = line;
    this.body = Buffer.allocUnsafeSlow(this.capacity);
    this.prefix.copy(this.body);
    this.filled = this.prefix.length;
    const { wanted } = this;
    if (!wanted || (this.options.appended && wanted.file > this.file)) return;
    if (wanted.file !== this.file || wanted.start !== this.start)
      throw new InputChanged(this.file, this.start);
    this.checkpoint = wanted;
  }

  private settle(line: number, next: number, full: boolean): void {
    this.position = next;
    this.lastLine = line;
    const { limit } = this.options;
    if (limit !== undefined && this.read >= limit) this.done = true;
    // An earlier run may have cut sooner than this one would: after a pause of a pipe, or when it was stopped.
    if (full || this.done || (this.checkpoint && next >= this.checkpoint.end)) this.cut();
  }

  private reserve(bytes: number): void {
    if (bytes <= this.body.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(this.body.length * 2, MAX_BODY_BYTES)));
    this.body.copy(grown, 0, 0, this.filled);
    this.body = grown;
  }
}
