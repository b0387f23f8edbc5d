import type { Random } from '../../kit/random.ts';
import type { Estimate, Range } from './logged-decision.ts';

/** Draws how often each replicate repeats a decision: Poisson with mean 1, for all policies alike. */
export class Resampling {
  readonly replicates: number;
  readonly #random: Random;
  readonly #counts: Uint8Array;

  constructor(replicates: number, random: Random) {
    this.replicates = replicates;
    this.#random = random;
    this.#counts = new Uint8Array(replicates);
  }

  /** The counts for the next decision. The array is reused. */
  next(): Uint8Array {
    for (let i = 0; i < this.replicates; i++) this.#counts[i] = poisson(this.#random());
    return this.#counts;
  }
}

/** The estimators' sums in each replicate of a Poisson bootstrap (Chamandy et al., 2012), in constant memory. */
export class Replicates {
  readonly #n: Float64Array;
  readonly #w: Float64Array;
  readonly #wr: Float64Array;
  readonly #dr: Float64Array;

  constructor(count: number) {
    this.#n = new Float64Array(count);
    this.#w = new Float64Array(count);
    this.#wr = new Float64Array(count);
    this.#dr = new Float64Array(count);
  }

  /** @param counts how often each replicate repeats the decision */
  add(counts: Uint8Array, weight: number, reward: number, dr: number): void {
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      if (count === 0) continue;
      this.#n[i]! += count;
      this.#w[i]! += count * weight;
      this.#wr[i]! += count * weight * reward;
      this.#dr[i]! += count * dr;
    }
  }

  /** The percentile interval (Efron, 1979) of each estimator, within the range of a reward. */
  intervals(range: Range): Record<'ips' | 'snips' | 'dr', Omit<Estimate, 'mean'>> {
    return {
      ips: percentiles(this.#wr, this.#n, range),
      snips: percentiles(this.#wr, this.#w, range),
      dr: percentiles(this.#dr, this.#n, range),
    };
  }
}

function percentiles(sums: Float64Array, by: Float64Array, { low, high }: Range): Omit<Estimate, 'mean'> {
  // A replicate in which the policy chose nothing has no estimate.
  const values = sums.map((sum, i) => sum / by[i]!).filter((value) => !Number.isNaN(value));
  values.sort();
  const at = (share: number) =>
    values.length === 0
      ? low
      : Math.min(high, Math.max(low, values[Math.round(share * (values.length - 1))]!));
  return { low: at(0.025), high: at(0.975) };
}

/** Inverts the distribution function of Poisson(1); above 12 the probability is below 1e-10. */
function poisson(u: number): number {
  let term = Math.exp(-1);
  let count = 0;
  for (let cumulative = term; u >= cumulative && count < 12; cumulative += term) term /= ++count;
  return count;
}
