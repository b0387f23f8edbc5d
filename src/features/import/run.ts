import { resolve } from 'node:path';
import { type Batch, InputChanged, sizeOf } from './batch/batch.ts';
import { Batcher } from './batch/batcher.ts';
import { Journal, type JournalState } from './journal/journal.ts';
import { openOrResume } from './open-or-resume.ts';
import type { ImportOptions, ImportWorld } from './options.ts';
import { batchesOf } from './read/batches.ts';
import type { Content } from './read/content.ts';
import { type Feed, Inputs } from './read/inputs.ts';
import { imbalance, newCounters } from './report/counters.ts';
import type { Reasons } from './report/reasons.ts';
import type { Reject } from './report/reject.ts';
import { RejectsFile, removeEarlier } from './report/rejects-file.ts';
import { CountMismatch, type ImportResult, resultOf } from './report/result.ts';
import { Delivery } from './send/delivery.ts';
import { Outage } from './send/outage.ts';
import { InputError } from './transform/input-error.ts';

/** How an import ended: its result, and what stopped it if something did. */
export interface ImportEnd {
  readonly result: ImportResult;
  /** Why records were rejected. */
  readonly reasons: Reasons;
  /** It stopped before the end of the inputs: `read` is less than what they hold. */
  readonly unread: boolean;
  readonly failure: { readonly error: unknown } | undefined;
  readonly interrupted: boolean;
  /** `--max-errors` was reached. */
  readonly tooManyErrors: boolean;
}

/**
 * Runs an import from its inputs to the service. Resolves with the result also when it failed; rejects only where it
 * could not begin (InputError, ImportRefused, JournalError).
 */
export async function runImport(options: ImportOptions, world: ImportWorld): Promise<ImportEnd> {
  const began = world.clock.now();
  const { name, mapping, format } = options;
  const inputs = await Inputs.open({
    names: name.inputs,
    kind: name.kind,
    cwd: name.cwd,
    stdin: world.stdin,
    openPipe: world.openPipe,
    format,
    mapping,
    part: name.part,
    onNotice: world.onNotice,
  });
  try {
    const journal = Journal.open(options.journal, { afresh: options.mode === 'restart' });
    try {
      const { state, claim, appended } = await openOrResume(journal, inputs, options, world);
      journal.everySync = inputs.looked.some(({ fingerprint }) => fingerprint === null);
      const run = new Run(options, world, inputs, journal, state, appended);
      const failure = await run.all().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (run.complete) await claim?.release();
      if (failure && run.neverBegan(failure.error)) throw failure.error;
      return run.end(failure, world.clock.now() - began);
    } finally {
      journal.close();
    }
  } finally {
    await inputs.close();
  }
}

/** One run of an import. */
class Run {
  private readonly options: ImportOptions;
  private readonly world: ImportWorld;
  private readonly inputs: Inputs;
  private readonly journal: Journal;
  private readonly resumed: boolean;
  private readonly rejectsPath: string;
  private readonly counters = newCounters();
  private readonly batcher: Batcher;
  private readonly delivery: Delivery;
  private readonly rejects: RejectsFile;
  private readonly feeds: Feed[] = [];
  private readonly read: Content[] = [];
  /** Bytes of the present file that lie in batches which were taken on. */
  private reached = 0;
  /** Bytes of all files up to the last batch that was cut. */
  private seen = 0;
  /** All of the input has its end. */
  complete = false;
  private sha256: string | null = null;
  private takenBefore = 0;
  /** Batches cut so far, those of them that have their end, and those still to be cut as far as can be known. */
  private cut = 0;
  private ended = 0;
  private toCut = Number.POSITIVE_INFINITY;
  private readonly finished: boolean;

  constructor(
    options: ImportOptions,
    world: ImportWorld,
    inputs: Inputs,
    journal: Journal,
    state: JournalState,
    appended: boolean,
  ) {
    this.options = options;
    this.world = world;
    this.inputs = inputs;
    this.journal = journal;
    this.finished = state.finished;
    const nextCheckpoint = journal.checkpoints();
    const { name, mapping, maxErrors } = options;
    this.batcher = new Batcher({
      kind: mapping.kind,
      size: name.batchSize,
      limit: name.limit,
      maxErrors,
      nextCheckpoint,
      appended,
    });
    this.resumed = state.rejectsLength > 0;
    this.rejectsPath = state.rejectsPath;
    this.rejects = new RejectsFile(resolve(name.cwd, state.rejectsPath), state.rejectsLength);
    const { clock, random, send, stop, onNotice, onAnswer } = world;
    const onPause = (why: string, ms: number) =>
      onNotice(`${why}; trying again in ${Math.ceil(ms / 1000)} s (--max-wait)`);
    this.delivery = new Delivery({
      kind: mapping.kind,
      importId: state.id,
      names: name.inputs,
      concurrency: options.concurrency,
      send,
      outage: new Outage({ maxWait: options.maxWait, clock, random, onPause }),
      journal,
      rejects: this.rejects,
      counters: this.counters,
      clock,
      signal: stop,
      appended,
      renumber: (rejects) => this.renumber(rejects),
      onAnswer,
      onSettled: () => {
        this.ended++;
        if (this.tooManyErrors) this.batcher.done = true;
        this.progress();
      },
    });
  }

  async all(): Promise<void> {
    let failure: { error: unknown } | undefined;
    try {
      // One that finished has nothing to cut off, and its file may be another import's by now.
      if (!this.finished) await this.rejects.trim();
      const { inputs } = this.options.name;
      for (let index = 0; index < inputs.length && !this.over(); index++) await this.one(index);
      if (!this.over() && this.batcher.short) throw new InputChanged(inputs.length - 1, this.takenBefore);
    } catch (error) {
      failure = { error };
    }
    try {
      await this.delivery.end();
    } catch (error) {
      // What the input could not give weighs less than what the service refused.
      failure = { error };
    }
    await this.rejects.close();
    if (failure) throw failure.error;
    this.complete = !this.world.stop.aborted && !this.tooManyErrors;
    if (!this.complete) return;
    await this.removeEarlierRejects();
    await this.journal.finish(this.inputs.prints, this.inputs.contents(this.read));
  }

  /** All of the input arrived: what an earlier import of it rejected is history. Done while the claim is held. */
  private async removeEarlierRejects(): Promise<void> {
    const { name, rejectsOfInputs } = this.options;
    if (!rejectsOfInputs || this.finished || this.resumed || this.counters.rejected > 0 || this.batcher.done)
      return;
    if (await removeEarlier(resolve(name.cwd, this.rejectsPath), name.inputs))
      this.world.onNotice(
        `${this.rejectsPath} was of an earlier import and is removed: nothing was rejected now`,
      );
  }

  /** Counts, checks the sum, and makes the result. */
  end(failure: { error: unknown } | undefined, elapsedMs: number): ImportEnd {
    const { counters, world, options } = this;
    counters.read = this.batcher.read;
    counters.unsent += this.batcher.waiting;
    const wrong = imbalance(counters) !== null;
    const result = resultOf(counters, world.traffic(), {
      files: options.name.inputs.length,
      elapsedMs,
      rejectsFile: counters.rejected > 0 || this.resumed ? this.rejectsPath : null,
      resumeCommand: this.complete ? null : options.resumeCommand,
      sha256: this.complete ? this.sha256 : null,
    });
    const interrupted = world.stop.aborted && !this.complete;
    return {
      result,
      reasons: counters.reasons,
      unread: !this.complete && this.seen < (this.inputs.size ?? Number.POSITIVE_INFINITY),
      failure: failure ?? (wrong ? { error: new CountMismatch(counters) } : undefined),
      interrupted,
      tooManyErrors: this.tooManyErrors,
    };
  }

  /** The input was of no use before a record was read: the command needs another form, not another run. */
  neverBegan(error: unknown): boolean {
    return error instanceof InputError && this.batcher.read === 0;
  }

  /** The limit on errors was reached, by rejects found here or by the service's. */
  private get tooManyErrors(): boolean {
    const { maxErrors } = this.options;
    return this.batcher.tooManyErrors || (maxErrors !== undefined && this.counters.rejected >= maxErrors);
  }

  private over(): boolean {
    return this.world.stop.aborted || this.delivery.failed || this.batcher.done;
  }

  private async one(index: number): Promise<void> {
    const { batcher, delivery, world, options } = this;
    const feed = await this.inputs.feed(index, batcher);
    this.feeds[index] = feed;
    const { input, window, reader } = feed;
    try {
      const before = batcher.read;
      const flush = {
        clock: world.clock,
        interval: input.fingerprint ? undefined : options.flushInterval,
        signal: world.stop,
      };
      for await (const batch of batchesOf(window, reader, batcher, flush)) {
        this.seen = this.takenBefore + feed.taken(batch.end);
        if (this.finished && !batch.checkpoint?.acknowledged) {
          this.counters.unsent += sizeOf(batch);
          throw new InputChanged(index, batch.start);
        }
        this.plan(batch);
        await delivery.take(batch);
        this.reached = feed.taken(batch.end);
        this.progress();
        if (this.delivery.failed || world.stop.aborted) return;
      }
      if (world.stop.aborted) return;
      if (batcher.read === before && !options.name.part && !batcher.done)
        world.onNotice(
          `${input.name === '-' ? 'standard input' : input.name} has no records: nothing was sent`,
        );
      const whole = options.name.inputs.length === 1 && !options.name.part && !batcher.done;
      if (whole) this.sha256 = input.sha256();
      this.read[index] = input.content();
      if (await input.changed())
        world.onNotice(`${input.name} was written to while it was read: what came later was not imported`);
    } finally {
      this.takenBefore += input.taken();
      this.reached = 0;
      await feed.close();
    }
  }

  /** Reckons from how far into the files this batch ends, and how many bytes of them a batch takes. */
  private plan(batch: Batch): void {
    const { size } = this.inputs;
    this.cut++;
    if (size !== undefined) this.toCut = Math.ceil(Math.max(0, size - this.seen) / (this.seen / this.cut));
    if (batch.checkpoint?.acknowledged) this.ended++;
    else this.world.onPlan?.(1 + this.toCut);
  }

  private progress(): void {
    const { world, counters, batcher } = this;
    if (!world.onProgress) return;
    counters.read = batcher.read;
    world.onProgress({
      counters,
      taken: this.takenBefore + this.reached,
      size: this.inputs.size,
      requestsLeft: this.toCut + this.cut - this.ended,
    });
  }

  /** A part of a file counts its lines from its own beginning; the rejects file counts from the file's. */
  private async renumber(rejects: Reject[]): Promise<Reject[]> {
    if (!this.options.name.part) return rejects;
    return Promise.all(
      rejects.map(async (reject) => {
        const index = this.options.name.inputs.indexOf(reject.file);
        const before = (await this.feeds[index]?.linesBefore()) ?? 0;
        return { ...reject, line: reject.line + before };
      }),
    );
  }
}
