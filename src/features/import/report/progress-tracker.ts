import type { Counters } from '../record/counters.ts';

/** The state of an import, for a progress bar. */
export interface Progress {
  readonly counters: Readonly<Counters>;
  /** Bytes of the files that were read. */
  readonly taken: number;
  /** Size of all files in bytes; undefined if one of them is a pipe. */
  readonly size: number | undefined;
  /** Estimated requests until the end, those in progress included; Infinity for a pipe. */
  readonly requestsLeft: number;
}

export interface ProgressTrackerOptions {
  readonly counters: Counters;
  /** Size of all inputs in bytes; undefined if one of them is a pipe. */
  readonly size: number | undefined;
  /** Called with the estimated number of requests to come; Infinity for a pipe. */
  readonly onPlan?: ((requests: number) => void) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Estimates how many requests remain and reports the progress of an import. */
export class ProgressTracker {
  private readonly options: ProgressTrackerOptions;
  /** Bytes of the inputs up to the last batch that was read, and up to the last one that was passed on to be sent. */
  private readBytes = 0;
  private takenBytes = 0;
  private readBatches = 0;
  private settledBatches = 0;
  private expectedBatches = Number.POSITIVE_INFINITY;

  constructor(options: ProgressTrackerOptions) {
    this.options = options;
  }

  /** A batch was read that ends at `position`; `acknowledged`: it is not sent again. */
  batchRead(position: number, acknowledged: boolean): void {
    const { size, onPlan } = this.options;
    this.readBytes = position;
    this.readBatches++;
    if (size !== undefined) {
      const bytesPerBatch = this.readBytes / this.readBatches;
      this.expectedBatches = Math.ceil(Math.max(0, size - this.readBytes) / bytesPerBatch);
    }
    if (acknowledged) this.settledBatches++;
    else onPlan?.(1 + this.expectedBatches);
  }

  /** The batch that ends at `position` is being sent. */
  batchTaken(position: number): void {
    this.takenBytes = position;
    this.report();
  }

  /** A batch was accepted or rejected. */
  batchSettled(): void {
    this.settledBatches++;
    this.report();
  }

  /** The inputs are larger than what was read of them. */
  get hasUnread(): boolean {
    return this.readBytes < (this.options.size ?? Number.POSITIVE_INFINITY);
  }

  private report(): void {
    const { counters, size, onProgress } = this.options;
    onProgress?.({
      counters,
      taken: this.takenBytes,
      size,
      requestsLeft: this.expectedBatches + this.readBatches - this.settledBatches,
    });
  }
}
