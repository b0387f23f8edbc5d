import { mix } from '../../../kit/hash32.ts';

/** Numbers whose distribution is known, at most; the one not met for the longest time makes room. */
export const MAX_NUMBERS = 256;
/** Values of each that are kept. */
export const SAMPLE = 256;
/** Values over which mean, variance and sample are spread: older ones fade. */
const MEMORY = 4096;
/** Largest standardised value. */
const CLIP = 5;

/** What is known of the distribution of one number. */
export class Distribution {
  count = 0;
  mean = 0;
  variance = 0;
  /** A sample of its values, and the hash of the user of each, 0 if unknown. */
  values: number[] = [];
  owners: number[] = [];
  /** The values in order; null after some were removed. */
  #sorted: Float64Array | null = null;

  /**
   * Takes in a value: running moments (Welford, 1962) and a reservoir (Vitter, 1985) whose slot is chosen by hash, so that
   * it is a function of the log.
   */
  add(value: number, owner: number): void {
    this.count++;
    const step = 1 / Math.min(this.count, MEMORY);
    const before = value - this.mean;
    this.mean += step * before;
    this.variance += step * (before * (value - this.mean) - this.variance);
    const slot =
      this.values.length < SAMPLE ? this.values.length : mix(this.count) % Math.min(this.count, MEMORY);
    if (slot >= SAMPLE) return;
    const replaced = this.values[slot];
    this.values[slot] = value;
    this.owners[slot] = owner;
    this.#sort(value, replaced);
  }

  /** True once there are two different values. */
  get varies(): boolean {
    return this.variance > 0;
  }

  /** The standardised value, within ±5. */
  standardised(value: number): number {
    const z = (value - this.mean) / Math.sqrt(this.variance);
    return Math.min(Math.max(z, -CLIP), CLIP);
  }

  /** The rank of a value among those of the sample, from -1 to 1; equal ones have their middle rank. */
  rank(value: number): number {
    const count = this.values.length;
    if (count === 0) return 0;
    const sorted = this.#inOrder();
    const first = below(sorted, count, value, false);
    const next = first < count && sorted[first] === value ? below(sorted, count, value, true) : first;
    return (first + next) / count - 1;
  }

  #inOrder(): Float64Array {
    if (!this.#sorted) {
      this.#sorted = new Float64Array(SAMPLE).fill(Number.POSITIVE_INFINITY);
      this.#sorted.set(Float64Array.from(this.values).sort());
    }
    return this.#sorted;
  }

  /** Keeps the order when a value comes, in the place of another one if there was one. */
  #sort(value: number, replaced: number | undefined): void {
    const sorted = this.#sorted;
    if (!sorted) return;
    const end = this.values.length - 1;
    if (replaced !== undefined) {
      const from = below(sorted, end + 1, replaced, false);
      sorted.copyWithin(from, from + 1, end + 1);
    }
    const to = below(sorted, end, value, false);
    sorted.copyWithin(to + 1, to, end);
    sorted[to] = value;
  }

  /** Removes the values of one user. Returns whether there were any. */
  forget(owner: number): boolean {
    const kept = this.owners.flatMap((each, i) => (each === owner ? [] : [i]));
    if (kept.length === this.owners.length) return false;
    this.values = kept.map((i) => this.values[i]!);
    this.owners = kept.map((i) => this.owners[i]!);
    this.#sorted = null;
    return true;
  }
}

/** How many of the first `count` values are below one, or up to it. */
function below(sorted: Float64Array, count: number, value: number, including: boolean): number {
  let from = 0;
  let to = count;
  while (from < to) {
    const middle = (from + to) >> 1;
    const each = sorted[middle]!;
    if (each < value || (including && each === value)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The distributions of the numbers of a model, by key, the least recently met first. */
export class Numbers {
  readonly known = new Map<number, Distribution>();

  add(key: number, value: number, owner: number): void {
    const known = this.known.get(key);
    if (known) this.known.delete(key);
    else if (this.known.size >= MAX_NUMBERS) this.known.delete(this.known.keys().next().value!);
    const distribution = known ?? new Distribution();
    this.known.set(key, distribution);
    distribution.add(value, owner);
  }

  /** Removes the values of one user. Returns whether there were any. */
  forget(owner: number): boolean {
    let changed = false;
    for (const distribution of this.known.values()) changed = distribution.forget(owner) || changed;
    return changed;
  }
}
