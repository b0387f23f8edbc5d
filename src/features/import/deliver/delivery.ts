import type { Clock } from '../../../kit/clock.ts';
import { objectOf } from '../../../kit/object-of.ts';
import { Semaphore } from '../../../kit/semaphore.ts';
import type { Counters } from '../record/counters.ts';
import type { Reject } from '../record/reject.ts';
import { type Batch, type Checkpoint, InputChanged, sizeOf } from './batch.ts';
import { BatchNotStored, type BatchSender } from './batch-sender.ts';
import type { Outcome } from './bisect.ts';
import type { Journal } from './journal/journal.ts';
import { digestOf } from './keys.ts';
import type { RejectsFile } from './rejects-file.ts';
import type { Answer } from './send.ts';

const NOTHING_SENT: Outcome = { accepted: 0, rejects: [], answers: [] };

export interface DeliveryOptions {
  readonly sender: BatchSender;
  readonly journal: Journal;
  readonly rejects: RejectsFile;
  readonly counters: Counters;
  readonly clock: Clock;
  /** Maximum number of batches at the same time. */
  readonly concurrency: number;
  /** Stops what has not been sent; what is in progress is finished. */
  readonly signal: AbortSignal;
  /** An earlier run has finished: its batches are verified, and none is sent. */
  readonly finished: boolean;
  /** Records may have been appended to the inputs since an earlier run. */
  readonly appended: boolean;
  /** Converts the line numbers of rejects in a shard to those in the whole file. */
  readonly renumber: (rejects: readonly Reject[]) => Promise<readonly Reject[]>;
  /** Called with each answer that accepted records. */
  readonly onAnswer?: ((answer: Answer) => void) | undefined;
  /** Called after each batch that was accepted or rejected. */
  readonly onSettled: () => void;
}

/**
 * Delivers batches, several at a time: journal, send, write the rejects, journal. A batch keeps its slot until its
 * outcome is on the disk, so that after a crash at most `concurrency` batches are sent again.
 */
export class Delivery {
  private readonly options: DeliveryOptions;
  private readonly slots: Semaphore;
  private readonly running = new Set<Promise<void>>();
  private writing: Promise<unknown> = Promise.resolve();
  private failure: { readonly error: unknown } | undefined;

  constructor(options: DeliveryOptions) {
    this.options = options;
    this.slots = new Semaphore(options.concurrency);
  }

  /** A batch failed in a way that ends the import. */
  get failed(): boolean {
    return this.failure !== undefined;
  }

  /** Takes a batch as soon as there is a free slot; resolves when it is in progress. */
  async take(batch: Batch): Promise<void> {
    const { counters } = this.options;
    const digest = digestOf(batch.body);
    this.verify(batch, digest);
    if (batch.checkpoint?.acknowledged) {
      counters.skipped += sizeOf(batch);
      return;
    }
    await this.slots.acquire();
    if (this.failed || this.options.signal.aborted) {
      this.slots.release();
      counters.unsent += sizeOf(batch);
      return;
    }
    const work = this.deliver(batch, digest)
      .catch((error: unknown) => {
        counters.unsent += sizeOf(batch);
        this.failure ??= { error };
      })
      .finally(() => {
        this.slots.release();
        this.running.delete(work);
      });
    this.running.add(work);
  }

  /** Waits for everything in progress; throws the first failure. */
  async end(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    await this.writing;
    if (this.failure) throw this.failure.error;
  }

  /** Compares a batch with its checkpoint. Throws InputChanged. */
  private verify(batch: Batch, digest: string): void {
    const { checkpoint } = batch;
    const expected = checkpoint?.acknowledged || !this.options.finished;
    const same = !checkpoint || (checkpoint.digest === digest && this.endsAt(checkpoint, batch.end));
    if (expected && same) return;
    this.options.counters.unsent += sizeOf(batch);
    throw new InputChanged(batch.file, batch.start);
  }

  /** The last line of an input may have got its line feed when records were appended to it. */
  private endsAt(checkpoint: Checkpoint, end: number): boolean {
    const { appended } = this.options;
    return end === checkpoint.end || (appended && checkpoint.acknowledged && end === checkpoint.end + 1);
  }

  private async deliver(batch: Batch, digest: string): Promise<void> {
    const { journal, clock, counters, onAnswer, onSettled } = this.options;
    const run = await journal.sending(batch, digest, clock.now());
    const outcome = batch.records.count > 0 ? await this.send(batch, digest, run) : NOTHING_SENT;
    for (const answer of outcome.answers) {
      onAnswer?.(answer);
      counters.duplicates += duplicatesOf(answer.body);
    }
    const rejects = [...batch.rejects, ...outcome.rejects].sort((a, b) => a.offset - b.offset);
    const accepted = outcome.accepted > 0;
    const rejectsLength = rejects.length > 0 ? await this.write(rejects) : undefined;
    const keepsRuns = outcome.answers.some((answer) => answer.keepsRuns);
    await journal.settled(batch, clock.now(), { accepted: outcome.accepted, rejectsLength, keepsRuns });
    counters.accepted += outcome.accepted;
    counters.rejected += rejects.length;
    counters.reasons.add(rejects);
    if (accepted) counters.batches++;
    onSettled();
  }

  private async send(batch: Batch, digest: string, run: string): Promise<Outcome> {
    const { sender, journal, clock } = this.options;
    try {
      return await sender.send(batch, digest, run);
    } catch (error) {
      if (!(error instanceof BatchNotStored)) throw error;
      await journal.withdrawn(batch, clock.now());
      throw error.cause;
    }
  }

  /** Appends rejects to their file, one batch after the other. */
  private write(rejects: readonly Reject[]): Promise<number> {
    const written = this.writing.then(async () =>
      this.options.rejects.append(await this.options.renumber(rejects)),
    );
    this.writing = written.catch(() => undefined);
    return written;
  }
}

/** The number of repeated events that an answer names. */
function duplicatesOf(body: unknown): number {
  const { duplicates } = objectOf(body);
  return typeof duplicates === 'number' ? duplicates : 0;
}
