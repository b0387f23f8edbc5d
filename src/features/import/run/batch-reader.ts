import type { Clock } from '../../../kit/clock.ts';
import { type Batch, InputChanged } from '../deliver/batch.ts';
import type { Batcher } from '../deliver/batcher.ts';
import type { Content } from '../record/content.ts';
import { batchesOf } from './batches.ts';
import type { Feed } from './feed.ts';
import type { Inputs } from './inputs.ts';

export interface BatchReaderOptions {
  readonly inputs: Inputs;
  readonly batcher: Batcher;
  readonly clock: Clock;
  /** How long a partial batch of a pipe waits for more records, in milliseconds. */
  readonly flushInterval: number;
  /** The inputs are read in part, as one of several shards. */
  readonly sharded: boolean;
  /** Ends the wait for input. */
  readonly signal: AbortSignal;
  readonly onNotice: (text: string) => void;
}

/** Reads all inputs of an import, one after the other, in batches. */
export class BatchReader {
  private readonly options: BatchReaderOptions;
  private readonly linesOf: Feed['linesBefore'][] = [];
  private readonly contents: Content[] = [];
  /** Bytes of the inputs that were read to their end. */
  private finishedBytes = 0;
  /** Bytes of the current input up to the end of the last batch. */
  private currentBytes = 0;
  /** Hex SHA-256 of the input; null for several inputs, a shard, or an input that was not read to its end. */
  sha256: string | null = null;

  constructor(options: BatchReaderOptions) {
    this.options = options;
  }

  /** Bytes of all inputs up to the end of the last batch. */
  get position(): number {
    return this.finishedBytes + this.currentBytes;
  }

  /**
   * Yields the batches of all inputs. Ends early when `stopped` returns true or a limit is reached. Throws InputChanged
   * if the inputs end before the last checkpoint of an earlier run.
   */
  async *batches(stopped: () => boolean): AsyncGenerator<Batch> {
    const { inputs, batcher } = this.options;
    const over = () => stopped() || batcher.done;
    const count = inputs.opened.length;
    for (let index = 0; index < count && !over(); index++) yield* this.batchesOfInput(index);
    if (!over() && batcher.short) throw new InputChanged(count - 1, this.position);
  }

  /** What was read of each input, in order. */
  get read(): readonly Content[] {
    return this.contents;
  }

  /** Lines of an input before the part of it that is read. */
  async linesBefore(index: number): Promise<number> {
    return (await this.linesOf[index]?.()) ?? 0;
  }

  private async *batchesOfInput(index: number): AsyncGenerator<Batch> {
    const { inputs, batcher, clock, flushInterval, signal } = this.options;
    const feed = await inputs.feed(index, batcher);
    this.linesOf[index] = feed.linesBefore;
    const { input, records } = feed;
    const readBefore = batcher.read;
    const interval = input.fingerprint ? undefined : flushInterval;
    let ended = false;
    const onEnd = () => {
      ended = true;
    };
    try {
      const flush = { clock, interval, since: feed.since, signal, onEnd };
      for await (const batch of batchesOf(records, batcher, flush)) {
        this.currentBytes = feed.taken(batch.end);
        yield batch;
      }
      if (ended) await this.finishInput(index, feed, batcher.read === readBefore);
    } finally {
      this.finishedBytes += input.taken();
      this.currentBytes = 0;
      await feed.close();
    }
  }

  /** Records what an input held, and reports an input that is empty or was changed meanwhile. */
  private async finishInput(index: number, { input }: Feed, empty: boolean): Promise<void> {
    const { inputs, batcher, sharded, onNotice } = this.options;
    if (empty && !sharded && !batcher.done)
      onNotice(`${input.name === '-' ? 'standard input' : input.name} has no records: nothing was sent`);
    if (inputs.opened.length === 1 && !input.source.entry && !sharded && !batcher.done)
      this.sha256 = input.sha256();
    this.contents[index] = input.content();
    if (await input.changed())
      onNotice(`${input.name} was modified while it was read; data added meanwhile was not imported`);
  }
}
