import { Batcher } from '../deliver/batcher.ts';
import type { TimeSpan } from '../deliver/time-span.ts';
import { breathe, throwIfStopped } from '../input/stopped.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { Reasons } from '../record/reasons.ts';
import type { Inputs } from './inputs.ts';

/** Decompressed bytes that are read; larger inputs are estimated. */
const MAX_BYTES = 8 * 1024 * 1024;

/** What an import of the beginning of the inputs would do. */
export interface ReadThrough {
  /** Records of the inputs; an estimate unless `exact`. */
  readonly rows: number;
  readonly exact: boolean;
  /** Records that were read. */
  readonly read: number;
  readonly rejected: number;
  readonly reasons: Reasons;
  readonly times: TimeSpan;
}

/** Reads, maps and validates the beginning of files as an import would, all of it if they are small. */
export async function readThrough(
  open: () => Promise<Inputs>,
  mapping: Mapping,
  stop: AbortSignal,
): Promise<ReadThrough> {
  const inputs = await open();
  inputs.mapping = mapping;
  const batcher = new Batcher({ kind: mapping.kind, size: 1000 });
  const reasons = new Reasons();
  let rejected = 0;
  let bytes = 0;
  let takenBytes = 0;
  let exact = true;
  for (const [index] of inputs.opened.entries()) {
    throwIfStopped(stop);
    if (bytes >= MAX_BYTES) {
      exact = false;
      break;
    }
    const feed = await inputs.feed(index, batcher, { hashed: false });
    const { records, input } = feed;
    const before = bytes;
    // Positions in a Parquet file are row numbers: what its rows become is counted instead.
    let made = 0;
    const count = () => {
      for (let batch = batcher.take(); batch; batch = batcher.take()) {
        rejected += batch.rejects.length;
        reasons.add(batch.rejects);
        made += batch.body.length;
      }
      bytes = before + (input.format === 'parquet' ? made : records.position);
    };
    try {
      for (;;) {
        records.drain(batcher);
        const paused = batcher.full;
        count();
        await breathe();
        throwIfStopped(stop);
        if (bytes >= MAX_BYTES) break;
        if (paused) continue;
        if (records.ended) break;
        batcher.flushPending();
        await records.more();
      }
      batcher.cut();
      count();
      exact &&= records.ended && records.position >= records.readUntil;
      takenBytes += feed.taken(records.position);
    } finally {
      await feed.close();
    }
  }
  const { read } = batcher;
  const rows = exact ? read : Math.round((read * (inputs.size ?? 0)) / Math.max(1, takenBytes));
  return { rows, exact, read, rejected, reasons, times: batcher.times };
}
