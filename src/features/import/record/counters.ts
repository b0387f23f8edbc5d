import { Reasons } from './reasons.ts';

/** Counts what happened to the records of an import. */
export interface Counters {
  read: number;
  accepted: number;
  /** Of the accepted ones, those whose `eventId` is repeated, as the service counts them. */
  duplicates: number;
  rejected: number;
  /** Settled in an earlier run. */
  skipped: number;
  /** Read, but neither accepted nor rejected. */
  unsent: number;
  /** Left out by `--where`; not in `read`. */
  filtered: number;
  batches: number;
  /** Bytes of the request bodies that were answered. */
  bytes: number;
  readonly reasons: Reasons;
}

export function newCounters(): Counters {
  return {
    read: 0,
    accepted: 0,
    duplicates: 0,
    rejected: 0,
    skipped: 0,
    unsent: 0,
    filtered: 0,
    batches: 0,
    bytes: 0,
    reasons: new Reasons(),
  };
}

/** Verifies that every record is counted once. Returns a description of the mismatch, or null. */
export function imbalance(counters: Counters): string | null {
  const { read, accepted, rejected, skipped, unsent } = counters;
  const sum = accepted + rejected + skipped + unsent;
  return sum === read
    ? null
    : `${read} records were read, but ${accepted} accepted + ${rejected} rejected + ${skipped} skipped + ${unsent} unsent = ${sum}`;
}
