/** Most pairs of user and content that are kept; the pair not met for the longest time makes room. */
const MAX_PAIRS = 32_768;

/** What one user thinks of one content beyond what the features say: mean and variance for each copy of the model. */
export interface Pair {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
}

/** Personal taste, by a hash of user and content. Bounded; a pair not kept is at its prior. */
export class Personal {
  readonly pairs = new Map<number, Pair>();
  readonly #variances: readonly number[];

  constructor(variances: readonly number[]) {
    this.#variances = variances;
  }

  find(key: number): Pair | undefined {
    return this.pairs.get(key);
  }

  /** The pair, made at its prior where it is not known, and now the one met last. */
  meet(key: number): Pair {
    const known = this.pairs.get(key);
    if (known) this.pairs.delete(key);
    else if (this.pairs.size >= MAX_PAIRS) this.pairs.delete(this.pairs.keys().next().value!);
    const pair = known ?? {
      mean: new Float64Array(this.#variances.length),
      variance: Float64Array.from(this.#variances),
    };
    this.pairs.set(key, pair);
    return pair;
  }
}
