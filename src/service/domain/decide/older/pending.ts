import { numbers, type Stored } from '../stored.ts';

/**
 * A model as layout 4 stored it: only silence waited, the detector of changes counted every decision at once, and
 * contents had no attributes.
 */
export interface StoredLayout4
  extends Omit<Stored, 'attributes' | 'pending' | 'recent' | 'waiting' | 'delays'> {
  pending: [times: number[], ids: string[], user: string | null, features: number[] | number[][]][];
  recent: [number, string, number, number, number, number][];
  delays: number[];
}

/** Converts a stored model of layout 4. Throws for anything unsound. */
export function convertOldPending(old: StoredLayout4): Stored {
  const [decisions, rewards, responses] = numbers(old.counts, 3) as [number, number, number];
  return {
    ...old,
    counts: [decisions + old.pending.length, rewards, responses],
    attributes: [],
    pending: old.pending.map(([times, ...rest], i) => [
      [...numbers(times, 3), decisions + i + 1, 0],
      ...rest,
      [],
    ]),
    recent: old.recent.map((recent) => [...recent, 1]),
    waiting: [],
    delays: old.delays.map((ms) => [ms, 0]),
  };
}
