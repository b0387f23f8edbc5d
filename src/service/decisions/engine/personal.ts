import { USER_VARIANCE } from './copies.ts';

/** Maximum number of stored pairs of user and content; the least recently used one is evicted. */
const MAX_PAIRS = 32_768;

/** Preference of one user for one content beyond the features: mean and variance. */
export interface Pair {
  mean: number;
  variance: number;
}

/** Personal preference, by a hash of user and content. Bounded; a pair that is not stored is at its prior. */
export class Personal {
  readonly pairs = new Map<number, Pair>();

  find(key: number): Pair | undefined {
    return this.pairs.get(key);
  }

  /** Returns the pair, created at its prior if missing, and marks it as most recently used. */
  getOrCreate(key: number): Pair {
    const known = this.pairs.get(key);
    if (known) this.pairs.delete(key);
    else if (this.pairs.size >= MAX_PAIRS) this.pairs.delete(this.pairs.keys().next().value!);
    const pair = known ?? { mean: 0, variance: USER_VARIANCE };
    this.pairs.set(key, pair);
    return pair;
  }
}
