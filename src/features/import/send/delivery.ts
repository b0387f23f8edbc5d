import type { Clock } from '../../../kit/clock.ts';
import { type Batch, type Checkpoint, InputChanged, sizeOf } from '../batch/batch.ts';
import { digestOf, keyOf } from '../batch/keys.ts';
import type { Journal } from '../journal/journal.ts';
import type { Counters } from '../report/counters.ts';
import type { RejectsFile } from '../report/rejects-file.ts';
import type { RecordKind } from '../transform/record-kind.ts';
import { bisect } from './bisect.ts';
import { type Outage, Unavailable } from './outage.ts';
import { Semaphore } from './semaphore.ts';
import { type Answer, blamesContent, type Send } from './send.ts';

/** The service refuses the import as a whole, not some record of it. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(answer.message ?? `The service answered ${answer.status}.`);
    this.name = 'Refused';
    this.answer = answer;
  }
}

export interface DeliveryOptions {
  readonly kind: RecordKind;
  readonly importId: string;
  readonly names: readonly string[];
  readonly concurrency: number;
  readonly send: Send;
  readonly outage: Outage;
  readonly journal: Journal;
  readonly rejects: RejectsFile;
  readonly counters: Counters;
  readonly clock: Clock;
  /** Stops what has not been sent; what is under way is finished. */
  readonly signal: AbortSignal;
  /** Records may have been appended to the inputs since an earlier run. */
  readonly appended: boolean;
  /** Gives rejects their line in the whole file, where only a part of it is read. */
  readonly renumber: (rejects: Batch['rejects']) => Promise<Batch['rejects']>;
  /** Called with each answer that took records. */
  readonly onAnswer?: ((answer: Answer) => void) | undefined;
  /** Called after each batch that has its end. */
  readonly onSettled: () => void;
}

/**
 * Brings batches to their end, several at a time: journal, send (narrowing what is refused), rejects, journal. A
 * batch leaves its lane only when its end is on the disk, so that after a crash no more is sent again than lanes.
 */
export class Delivery {
  private readonly options: DeliveryOptions;
  private readonly batches: Semaphore;
  private readonly requests: Semaphore;
  private readonly running = new Set<Promise<void>>();
  private writing: Promise<unknown> = Promise.resolve();
  private failure: { readonly error: unknown } | undefined;

  constructor(options: DeliveryOptions) {
    this.options = options;
    this.batches = new Semaphore(options.concurrency);
    this.requests = new Semaphore(options.concurrency);
  }

  /** Some batch failed in a way that ends the import. */
  get failed(): boolean {
    return this.failure !== undefined;
  }

  /** Requests under way. */
  get busy(): number {
    return this.requests.busy;
  }

  /** Takes a batch as soon as there is a lane for it; resolves when it is on its way. */
  async take(batch: Batch): Promise<void> {
    const { counters } = this.options;
    const digest = digestOf(batch.body);
    const { checkpoint } = batch;
    if (checkpoint && !(this.sameEnd(checkpoint, batch) && checkpoint.digest === digest)) {
      counters.unsent += sizeOf(batch);
      throw new InputChanged(batch.file, batch.start);
    }
    if (checkpoint?.acknowledged) {
      counters.skipped += sizeOf(batch);
      return;
    }
    await this.batches.enter();
    if (this.failed || this.options.signal.aborted) {
      this.batches.leave();
      counters.unsent += sizeOf(batch);
      return;
    }
    const work = this.bring(batch, digest)
      .catch((error: unknown) => {
        counters.unsent += sizeOf(batch);
        this.failure ??= { error };
      })
      .finally(() => {
        this.batches.leave();
        this.running.delete(work);
      });
    this.running.add(work);
  }

  /** Where records were appended to an input whose last line had no end, that has its line feed now. */
  private sameEnd(checkpoint: Checkpoint, { end }: Batch): boolean {
    return end === checkpoint.end || (this.options.appended && checkpoint.acknowledged && end === checkpoint.end + 1);
  }

  /** Waits for everything under way; throws the first failure. */
  async end(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    await this.writing;
    if (this.failure) throw this.failure.error;
  }

  private async bring(batch: Batch, digest: string): Promise<void> {
    const { journal, clock, counters, onAnswer, onSettled } = this.options;
    await journal.sending(batch, digest, clock.now());
    let accepted = 0;
    let rejects = batch.rejects;
    if (batch.records.count > 0) {
      const doubt = { possible: batch.checkpoint?.ambiguous ?? false };
      try {
        const file = this.options.names[batch.file]!;
        const outcome = await bisect(
          batch,
          this.options.kind,
          (body) => this.post(batch, body, body === batch.body ? digest : digestOf(body), doubt),
          file,
        );
        accepted = outcome.accepted;
        rejects = [...rejects, ...outcome.rejects].sort((a, b) => a.offset - b.offset);
        for (const answer of outcome.answers) onAnswer?.(answer);
      } catch (error) {
        const answered = error instanceof Refused || error instanceof Unavailable;
        if (answered && !doubt.possible) await journal.withdrawn(batch, clock.now());
        throw error;
      }
    }
    const length = rejects.length > 0 ? await this.write(rejects) : undefined;
    await journal.settled(batch, clock.now(), { accepted: accepted > 0, rejectsLength: length });
    counters.accepted += accepted;
    counters.rejected += rejects.length;
    counters.reasons.add(rejects);
    if (accepted > 0) counters.batches++;
    onSettled();
  }

  /** One request of a batch. `doubt` remembers that some piece of it has, or may have, been taken. */
  private post(batch: Batch, body: Buffer, digest: string, doubt: { possible: boolean }): Promise<Answer> {
    const { importId, outage, send, signal, counters } = this.options;
    return this.requests.run(async () => {
      const key = keyOf(importId, batch, digest);
      const answer = await outage.send(send, body, key, signal).catch((error: unknown) => {
        if (!(error instanceof Unavailable) || error.ambiguous) doubt.possible = true;
        throw error;
      });
      counters.bytes += body.length;
      const taken = answer.status >= 200 && answer.status < 300;
      if (taken || answer.ambiguous) doubt.possible = true;
      if (!taken && !blamesContent(answer.status)) throw new Refused(answer);
      return answer;
    });
  }

  /** Rejects are appended one batch after the other. */
  private write(rejects: Batch['rejects']): Promise<number> {
    const written = this.writing.then(async () =>
      this.options.rejects.append(await this.options.renumber(rejects)),
    );
    this.writing = written.catch(() => undefined);
    return written;
  }
}
