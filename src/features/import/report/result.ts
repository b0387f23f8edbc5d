import { type Counters, imbalance } from './counters.ts';

/** What the client counted while it sent. */
export interface Traffic {
  readonly requests: number;
  readonly retries: number;
  readonly rateLimited: number;
  /** Requests that the service allows in a window; null where no answer showed a limit. */
  readonly rateLimit: number | null;
  /** How long requests waited for that limit and nothing else. */
  readonly heldBackMs: number;
}

/** The result of an import, printed whatever happened (command-line.md, "events import"). */
export interface ImportResult extends Traffic {
  readonly files: number;
  readonly read: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly unsent: number;
  readonly batches: number;
  /** Bytes of request bodies. */
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly eventsPerSecond: number;
  readonly rejectsFile: string | null;
  readonly resumeCommand: string | null;
  /** Of the one input, as the file holds it; null for several, for a part, and where it was not read to its end. */
  readonly sha256: string | null;
}

/** Makes the result. Throws when the sum does not add up: a record would have been lost in silence. */
export function resultOf(
  counters: Counters,
  traffic: Traffic,
  rest: Pick<ImportResult, 'files' | 'elapsedMs' | 'rejectsFile' | 'resumeCommand' | 'sha256'>,
): ImportResult {
  const { read, accepted, rejected, skipped, unsent, batches, bytes } = counters;
  const { files, elapsedMs, rejectsFile, resumeCommand, sha256 } = rest;
  const seconds = elapsedMs / 1000;
  return {
    files,
    read,
    accepted,
    rejected,
    skipped,
    unsent,
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

/** The sum of a result does not add up. */
export class CountMismatch extends Error {
  constructor(counters: Counters) {
    super(`This is a bug: ${imbalance(counters)}.`);
    this.name = 'SumError';
  }
}
