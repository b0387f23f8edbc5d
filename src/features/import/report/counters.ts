import { Reasons } from './reasons.ts';

/** What happened to the records of an import so far. */
export interface Counters {
  read: number;
  accepted: number;
  rejected: number;
  /** Had their end in an earlier run. */
  skipped: number;
  /** Were read, and have no end. */
  unsent: number;
  batches: number;
  /** Bytes of request bodies that were answered. */
  bytes: number;
  readonly reasons: Reasons;
}

export function newCounters(): Counters {
  return {
    read: 0,
    accepted: 0,
    rejected: 0,
    skipped: 0,
    unsent: 0,
    batches: 0,
    bytes: 0,
    reasons: new Reasons(),
  };
}

/** Every record that was read must be somewhere. Returns what does not add up, or null. */
export function imbalance(counters: Counters): string | null {
  const { read, accepted, rejected, skipped, unsent } = counters;
  const sum = accepted + rejected + skipped + unsent;
  return sum === read
    ? null
    : `${read} records were read, but ${accepted} accepted + ${rejected} rejected + ${skipped} skipped + ${unsent} unsent = ${sum}`;
}
