import { resolve } from 'node:path';
import { sizeOf } from '../deliver/batch.ts';
import { Batcher } from '../deliver/batcher.ts';
import { RejectsFile } from '../deliver/rejects-file.ts';
import type { InputFacts } from '../formats/input-facts.ts';
import { newCounters } from '../record/counters.ts';
import type { Reasons } from '../record/reasons.ts';
import { type ImportResult, resultOf } from '../report/result.ts';
import { batchesOf } from './batches.ts';
import { Inputs } from './inputs.ts';
import type { ImportOptions, ImportWorld } from './options.ts';
import { prepareImport } from './prepare.ts';

/** The requests that an import would send. */
export interface Plan {
  readonly batches: number;
  /** Bytes of the request bodies. */
  readonly bytes: number;
  readonly requests: number;
}

/**
 * Plans an import: reads and validates all records, writes the rejects file and counts the requests. Sends nothing and
 * does not change the journal. Valid records are `unsent` in the result.
 */
export async function planImport(
  options: ImportOptions,
  world: Pick<ImportWorld, 'stdin' | 'openPipe' | 'clock' | 'stop' | 'onNotice'>,
): Promise<{
  result: ImportResult;
  reasons: Reasons;
  factsOf: (file: string) => InputFacts | undefined;
  plan: Plan;
  interrupted: boolean;
}> {
  const startedAt = world.clock.now();
  const { name, mapping, maxErrors, reading } = options;
  const inputs = await Inputs.open({
    ...name,
    names: name.inputs,
    shard: name.shard,
    downloads: options.downloads,
    reading,
    mapping,
    ...world,
  });
  const counters = newCounters();
  const plan = { batches: 0, bytes: 0, requests: 0 };
  const rejects = new RejectsFile(resolve(name.cwd, options.rejects));
  const batcher = new Batcher({ kind: mapping.kind, size: name.batchSize, limit: name.limit, maxErrors });
  const flush = { clock: world.clock, interval: undefined, signal: world.stop };
  let sha256: string | null = null;
  try {
    inputs.mapping = {
      ...mapping,
      columnTypes: await prepareImport(inputs, { ...options, preflight: false }, world),
    };
    for (let index = 0; index < inputs.opened.length && !batcher.done && !world.stop.aborted; index++) {
      const feed = await inputs.feed(index, batcher);
      try {
        for await (const batch of batchesOf(feed.records, batcher, flush)) {
          const valid = batch.records.count;
          counters.rejected += batch.rejects.length;
          counters.reasons.add(batch.rejects);
          counters.unsent += sizeOf(batch) - batch.rejects.length;
          if (valid > 0) {
            plan.batches++;
            plan.requests++;
            plan.bytes += batch.body.length;
          }
          if (batch.rejects.length === 0) continue;
          const before = name.shard ? await feed.linesBefore() : 0;
          await rejects.append(batch.rejects.map((reject) => ({ ...reject, line: reject.line + before })));
        }
        const whole = inputs.opened.length === 1 && !name.shard && !batcher.done && !world.stop.aborted;
        if (whole) sha256 = feed.input.sha256();
      } finally {
        await feed.close();
      }
    }
  } finally {
    await rejects.close();
    await inputs.close();
  }
  counters.read = batcher.read;
  counters.filtered = batcher.filtered;
  counters.unsent += batcher.waiting;
  const result = resultOf(
    counters,
    { requests: 0, retries: 0, rateLimited: 0, rateLimit: null, heldBackMs: 0 },
    batcher.times,
    inputs.mapping,
    {
      files: inputs.opened.length,
      elapsedMs: world.clock.now() - startedAt,
      rejectsFile: counters.rejected > 0 ? options.rejects : null,
      resumeCommand: null,
      sha256,
    },
  );
  const factsOf = (file: string) => inputs.factsOf(file);
  return { result, reasons: counters.reasons, factsOf, plan, interrupted: world.stop.aborted };
}

/**
 * Returns the minimum time in seconds for a number of requests under a limit of `limit` per window, of which `free` are
 * available now: those are sent at once, the others evenly as the window moves on.
 */
export function leastSeconds(requests: number, limit: number, free: number, windowMs: number): number {
  return (Math.max(0, requests - free) * windowMs) / limit / 1000;
}
