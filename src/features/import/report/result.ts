import { type Counters, imbalance } from './counters.ts';

/** Counts of the client's requests. */
export interface Traffic {
  readonly requests: number;
  readonly retries: number;
  readonly rateLimited: number;
  /** Requests that the service allows per window; null if no answer contained a limit. */
  readonly rateLimit: number | null;
  /** How long requests waited for that limit alone. */
  readonly heldBackMs: number;
}

/** The result of an import, which is always printed (command-line.md, "events import"). */
export interface ImportResult extends Traffic {
  readonly files: number;
  readonly read: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly unsent: number;
  /** Records that `--where` left out; they are not in `read`. */
  readonly filtered: number;
  readonly batches: number;
  /** Bytes of request bodies. */
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly eventsPerSecond: number;
  readonly rejectsFile: string | null;
  readonly resumeCommand: string | null;
  /** Hash of the input file; null for several inputs, for a shard, and if it was not read to its end. */
  readonly sha256: string | null;
}

/** Makes the result from the counters. */
export function resultOf(
  counters: Counters,
  traffic: Traffic,
  rest: Pick<ImportResult, 'files' | 'elapsedMs' | 'rejectsFile' | 'resumeCommand' | 'sha256'>,
): ImportResult {
  const { read, accepted, rejected, skipped, unsent, filtered, batches, bytes } = counters;
  const { files, elapsedMs, rejectsFile, resumeCommand, sha256 } = rest;
  const seconds = elapsedMs / 1000;
  return {
    files,
    read,
    accepted,
    rejected,
    skipped,
    unsent,
    filtered,
    batches,
    ...traffic,
    bytes,
    elapsedMs: Math.round(elapsedMs),
    eventsPerSecond: seconds > 0 ? Math.round(accepted / seconds) : 0,
    rejectsFile,
    resumeCommand,
    sha256,
  };
}

/** The counters do not add up. */
export class CountMismatch extends Error {
  constructor(counters: Counters) {
    super(`This is a bug: ${imbalance(counters)}.`);
    this.name = 'SumError';
  }
}
