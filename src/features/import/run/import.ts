import { resolve } from 'node:path';
import { BatchSender } from '../deliver/batch-sender.ts';
import { Batcher } from '../deliver/batcher.ts';
import { Delivery } from '../deliver/delivery.ts';
import { Journal } from '../deliver/journal/journal.ts';
import { Outage } from '../deliver/outage.ts';
import { RejectsFile, removeEarlierRejects } from '../deliver/rejects-file.ts';
import { InputError } from '../input/input-error.ts';
import { imbalance, newCounters } from '../record/counters.ts';
import type { Reject } from '../record/reject.ts';
import { ProgressTracker } from '../report/progress-tracker.ts';
import { CountMismatch, type ImportEnd, resultOf } from '../report/result.ts';
import { BatchReader } from './batch-reader.ts';
import { Inputs } from './inputs.ts';
import { type OpenedImport, openOrResume } from './open-or-resume.ts';
import type { ImportOptions, ImportWorld } from './options.ts';
import { prepareImport } from './prepare.ts';

/**
 * Runs an import: read, transform, batch, send, journal, report. Resolves with the result also if it failed; rejects
 * only if it could not start (InputError, ImportRefused, JournalError).
 */
export async function runImport(options: ImportOptions, world: ImportWorld): Promise<ImportEnd> {
  const startedAt = world.clock.now();
  const { name, mapping, reading } = options;
  const inputs = await Inputs.open({
    names: name.inputs,
    cwd: name.cwd,
    stdin: world.stdin,
    openPipe: world.openPipe,
    reading,
    mapping,
    shard: name.shard,
    downloads: options.downloads,
    stop: world.stop,
    onNotice: world.onNotice,
  });
  try {
    const journal = Journal.open(options.journal);
    try {
      const opened = await openOrResume(journal, inputs, options, world, (chosen) =>
        prepareImport(inputs, { ...options, mapping: chosen }, world),
      );
      inputs.mapping = { ...opened.mapping, columnTypes: opened.state.columnTypes };
      journal.everySync = inputs.opened.some(({ fingerprint }) => fingerprint === null);
      const pipeline = new Pipeline(options, world, inputs, journal, opened);
      const failure = await pipeline.run().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (pipeline.complete) await opened.claim?.release();
      if (failure && pipeline.couldNotStart(failure.error)) throw failure.error;
      return pipeline.end(failure, world.clock.now() - startedAt);
    } finally {
      journal.close();
    }
  } finally {
    await inputs.close();
  }
}

/** What waits for the service during an outage. */
export function outageOf(
  { maxWait }: Pick<ImportOptions, 'maxWait'>,
  { clock, random, onNotice }: Pick<ImportWorld, 'clock' | 'random' | 'onNotice'>,
): Outage {
  const onPause = (reason: string, ms: number) =>
    onNotice(`${reason}; retrying in ${Math.ceil(ms / 1000)} s (--max-wait)`);
  return new Outage({ maxWait, clock, random, onPause });
}

/** Connects the steps of an import. Each batch passes from the reader to the delivery; the tracker observes both. */
class Pipeline {
  private readonly options: ImportOptions;
  private readonly world: ImportWorld;
  private readonly inputs: Inputs;
  private readonly journal: Journal;
  private readonly opened: OpenedImport;
  private readonly counters = newCounters();
  private readonly batcher: Batcher;
  private readonly reader: BatchReader;
  private readonly delivery: Delivery;
  private readonly rejects: RejectsFile;
  private readonly progress: ProgressTracker;
  /** Every record was accepted or rejected. */
  complete = false;

  constructor(
    options: ImportOptions,
    world: ImportWorld,
    inputs: Inputs,
    journal: Journal,
    opened: OpenedImport,
  ) {
    this.options = options;
    this.world = world;
    this.inputs = inputs;
    this.journal = journal;
    this.opened = opened;
    const { name, mapping, maxErrors, concurrency } = options;
    const { clock, stop, onNotice, onAnswer, onPlan, onProgress } = world;
    const { state, appended } = opened;
    const { counters } = this;
    this.rejects = new RejectsFile(resolve(name.cwd, state.rejectsPath), state.rejectsLength);
    this.progress = new ProgressTracker({ counters, size: inputs.size, onPlan, onProgress });
    this.batcher = new Batcher({
      kind: mapping.kind,
      size: name.batchSize,
      limit: name.limit,
      maxErrors,
      nextCheckpoint: journal.checkpoints(),
      appended,
    });
    this.reader = new BatchReader({
      inputs,
      batcher: this.batcher,
      clock,
      flushInterval: options.flushInterval,
      sharded: name.shard !== undefined,
      signal: stop,
      onNotice,
    });
    this.delivery = new Delivery({
      sender: this.sender(),
      journal,
      rejects: this.rejects,
      counters,
      clock,
      concurrency,
      signal: stop,
      finished: state.finished,
      appended,
      renumber: (rejects) => this.renumber(rejects),
      onAnswer,
      onSettled: () => this.settled(),
    });
  }

  async run(): Promise<void> {
    let failure: { error: unknown } | undefined;
    try {
      // A finished import has no partial rejects to remove, and its file may belong to another import by now.
      if (!this.opened.state.finished) await this.rejects.trim();
      await this.pump();
    } catch (error) {
      failure = { error };
    }
    try {
      await this.delivery.end();
    } catch (error) {
      // A refusal by the service takes precedence over an error of the input.
      failure = { error };
    }
    await this.rejects.close();
    if (failure) throw failure.error;
    const stopped = this.world.stop.aborted && !this.allSettled;
    this.complete = !stopped && !this.tooManyErrors;
    if (!this.complete) return;
    await this.removeEarlierRejects();
    await this.journal.finish(this.inputs.fingerprints, this.inputs.contents(this.reader.read));
  }

  /** Counts, verifies the sum, and makes the result. */
  end(failure: { error: unknown } | undefined, elapsedMs: number): ImportEnd {
    const { counters, world, options, complete } = this;
    const { rejectsPath, rejectsLength } = this.opened.state;
    counters.read = this.batcher.read;
    counters.filtered = this.batcher.filtered;
    counters.unsent += this.batcher.waiting;
    const result = resultOf(counters, world.traffic(), this.batcher.times, this.inputs.mapping, {
      files: this.inputs.opened.length,
      elapsedMs,
      rejectsFile: counters.rejected > 0 || rejectsLength > 0 ? rejectsPath : null,
      resumeCommand: complete ? null : options.resumeCommand,
      sha256: complete ? this.reader.sha256 : null,
    });
    const balanced = imbalance(counters) === null;
    return {
      result,
      reasons: counters.reasons,
      factsOf: (file) => this.inputs.factsOf(file),
      unread: !complete && this.progress.hasUnread,
      failure: failure ?? (balanced ? undefined : { error: new CountMismatch(counters) }),
      interrupted: world.stop.aborted && !complete,
      tooManyErrors: this.tooManyErrors,
    };
  }

  /** The input was refused before a record was read: the command needs other flags, not another run. */
  couldNotStart(error: unknown): boolean {
    return error instanceof InputError && this.batcher.read === 0;
  }

  private sender(): BatchSender {
    const { mapping, concurrency } = this.options;
    const { send, stop } = this.world;
    return new BatchSender({
      kind: mapping.kind,
      names: this.inputs.names,
      concurrency,
      send,
      outage: outageOf(this.options, this.world),
      counters: this.counters,
      signal: stop,
    });
  }

  /** Passes batches from the reader to the delivery, as fast as they are delivered. */
  private async pump(): Promise<void> {
    const { reader, delivery, progress, counters, batcher } = this;
    // What was read to its end has only to be finished.
    const stopped = () => (this.world.stop.aborted && progress.hasUnread) || delivery.failed;
    for await (const batch of reader.batches(stopped)) {
      progress.batchRead(reader.position, batch.checkpoint?.acknowledged ?? false);
      await delivery.take(batch);
      counters.read = batcher.read;
      progress.batchTaken(reader.position);
      if (stopped()) return;
    }
  }

  private settled(): void {
    if (this.tooManyErrors) this.batcher.done = true;
    this.counters.read = this.batcher.read;
    this.progress.batchSettled();
  }

  /** All inputs were read to their end, and no record waits to be sent. */
  private get allSettled(): boolean {
    const { reader, inputs, counters, batcher } = this;
    return reader.read.length === inputs.opened.length && counters.unsent + batcher.waiting === 0;
  }

  /** The limit on errors was reached, by invalid records or by records that the service refused. */
  private get tooManyErrors(): boolean {
    const { maxErrors } = this.options;
    return this.batcher.tooManyErrors || (maxErrors !== undefined && this.counters.rejected >= maxErrors);
  }

  /** Removes the rejects of an earlier import of these inputs if now none was rejected. Requires the claim. */
  private async removeEarlierRejects(): Promise<void> {
    const { name, rejectsOfInputs } = this.options;
    const { finished, rejectsLength, rejectsPath } = this.opened.state;
    if (!rejectsOfInputs || finished || rejectsLength > 0 || this.counters.rejected > 0 || this.batcher.done)
      return;
    if (await removeEarlierRejects(resolve(name.cwd, rejectsPath), this.inputs.names))
      this.world.onNotice(`removed ${rejectsPath} of an earlier import: no record was rejected now`);
  }

  /** Converts the line numbers of rejects in a shard, which count from its start, to those in the whole file. */
  private async renumber(rejects: readonly Reject[]): Promise<readonly Reject[]> {
    const { names } = this.inputs;
    const { shard } = this.options.name;
    if (!shard) return rejects;
    return Promise.all(
      rejects.map(async (reject) => {
        const before = await this.reader.linesBefore(names.indexOf(reject.file));
        return { ...reject, line: reject.line + before };
      }),
    );
  }
}
