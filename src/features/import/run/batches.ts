import type { Clock } from '../../../kit/clock.ts';
import type { Batch } from '../deliver/batch.ts';
import type { Batcher } from '../deliver/batcher.ts';
import type { RecordSource } from '../formats/record-source.ts';
import { breathe } from '../input/stopped.ts';

export interface Flush {
  readonly clock: Clock;
  /** How long a partial batch waits after its first record, in milliseconds; undefined: until it is full. */
  readonly interval: number | undefined;
  /** Since when the records that arrived first wait, while they were sampled. */
  readonly since?: number | undefined;
  /** Ends the wait for input that may never come. */
  readonly signal: AbortSignal;
  /** Called when all records were yielded. */
  readonly onEnd?: () => void;
}

/**
 * Yields the batches of one input, and reads only as fast as they are consumed. A partial batch of a slow pipe is
 * yielded after the flush interval, so that `tail -f` reaches the service.
 */
export async function* batchesOf(
  source: RecordSource,
  batcher: Batcher,
  flush: Flush,
): AsyncGenerator<Batch> {
  let openSince: number | undefined;
  let { since } = flush;
  for (;;) {
    source.drain(batcher);
    const paused = batcher.full;
    for (let batch = batcher.take(); batch; batch = batcher.take()) {
      // The batch that is open now was started after this one.
      openSince = undefined;
      since = undefined;
      yield batch;
    }
    await breathe();
    if (paused && !batcher.done) {
      if (flush.signal.aborted) return;
      continue;
    }
    if (batcher.done || source.ended) break;
    openSince = batcher.partial ? (openSince ?? since ?? flush.clock.now()) : undefined;
    if (batcher.partial) since = undefined;
    batcher.flushPending();
    let reading: Promise<unknown> | undefined = source.more();
    while (reading) {
      const due =
        openSince === undefined || flush.interval === undefined ? undefined : openSince + flush.interval;
      const event = await firstEvent(reading, due, flush);
      if (event === 'stopped') return;
      if (event === 'read') reading = undefined;
      else {
        openSince = undefined;
        batcher.cut();
        yield* complete(batcher);
      }
    }
  }
  batcher.cut();
  yield* complete(batcher);
  flush.onEnd?.();
}

function* complete(batcher: Batcher): Generator<Batch> {
  for (let batch = batcher.take(); batch; batch = batcher.take()) yield batch;
}

async function firstEvent(
  reading: Promise<unknown>,
  due: number | undefined,
  { clock, signal }: Flush,
): Promise<'read' | 'due' | 'stopped'> {
  if (signal.aborted) {
    reading.catch(() => undefined);
    return 'stopped';
  }
  const over = new AbortController();
  const stopped = new Promise<'stopped'>((resolve) => {
    signal.addEventListener('abort', () => resolve('stopped'), { once: true, signal: over.signal });
  });
  const events: Promise<'read' | 'due' | 'stopped'>[] = [reading.then(() => 'read'), stopped];
  if (due !== undefined) {
    const pause = clock.sleep(Math.max(0, due - clock.now()), over.signal);
    events.push(pause.then(() => 'due' as const).catch(() => 'stopped' as const));
  }
  try {
    const event = await Promise.race(events);
    if (event !== 'read') reading.catch(() => undefined);
    return event;
  } finally {
    over.abort();
  }
}
