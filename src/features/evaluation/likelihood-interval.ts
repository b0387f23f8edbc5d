import type { Estimate, Range } from './logged-decision.ts';

/** Half of the 95 % point of χ² with one degree of freedom. */
const CRITICAL = 1.920729410347062;

/** How near a bound must come to its limit, as a share of the range of a reward. */
const NEAR = 1e-9;

/** Steps of a search, which needs four to ten. */
const STEPS = 100;

/** A mean Σa / Σb of decisions, or of sums of decisions. */
export interface Ratio {
  readonly a: readonly number[];
  readonly b: readonly number[];
  /** The decisions (a, b) that speak most for a small and for a large mean, of those that could have been logged. */
  readonly least: readonly [number, number];
  readonly most: readonly [number, number];
}

/**
 * Estimates a mean with its 95 % empirical likelihood interval (Owen, 2001; for policies, Karampatziakis, Langford &
 * Mineiro, 2020): the values v for which weights of the decisions that give a - v b the mean 0 are likely enough. For each
 * bound one decision is added that was not seen but could have been (in the manner of Chen, Variyath & Abraham, 2008): a
 * log may lack the rare decisions of a large weight, and its spread then says nothing of them. For a probability this
 * comes close to the interval of Clopper and Pearson. Without any b, the interval is the whole range.
 *
 * A few decisions of a large weight may have a mean beyond the range of a reward. The estimate is then the end of the range, which
 * is the most likely value in it, and the interval holds the values that are likely enough in comparison with that one.
 */
export function likelihoodInterval({ a, b, least, most }: Ratio, range: Range): Estimate {
  const { low, high } = range;
  const sums = [sum(a), sum(b)] as const;
  if (sums[1] === 0) return { mean: within(range, 0), low, high };
  const mean = within(range, sums[0] / sums[1]);
  const bound = (end: number, unseen: Ratio['least']): number => {
    const towards = Math.sign(end - mean);
    const test = new Likelihood([...a, unseen[0]], [...b, unseen[1]]);
    const likeliest = (sums[0] + unseen[0]) / (sums[1] + unseen[1]);
    const start = (likeliest - mean) * towards > 0 ? likeliest : mean;
    if (!((end - start) * towards > 0)) return end;
    const limit = CRITICAL + (start === likeliest ? 0 : test.at(start).ratio);
    let likely = start;
    let unlikely = end;
    let value = end;
    for (let step = 0; step < STEPS && Math.abs(unlikely - likely) > NEAR * (high - low); step++) {
      const { ratio, slope } = test.at(value);
      if (ratio <= limit) likely = value;
      else unlikely = value;
      if (likely === end) break;
      // Newton's method on the square root, which is nearly a line.
      const root = Math.sqrt(ratio);
      const next = value - ((root - Math.sqrt(limit)) * 2 * root) / slope;
      const isInside = (next - likely) * towards > 0 && (unlikely - next) * towards > 0;
      value = isInside ? next : (likely + unlikely) / 2;
    }
    return likely;
  };
  return { mean, low: bound(low, least), high: bound(high, most) };
}

const within = ({ low, high }: Range, value: number) => Math.min(Math.max(value, low), high);

/** The empirical likelihood ratio of a value: the largest Σ log(1 + λ (a - v b)) over λ. */
class Likelihood {
  readonly #a: Float64Array;
  readonly #b: Float64Array;
  readonly #y: Float64Array;
  #lambda = 0;

  constructor(a: readonly number[], b: readonly number[]) {
    this.#a = Float64Array.from(a);
    this.#b = Float64Array.from(b);
    this.#y = new Float64Array(a.length);
  }

  /** The ratio with its derivative; infinite where no weights give the mean 0. */
  at(value: number): { ratio: number; slope: number } {
    const y = this.#y;
    let smallest = 0;
    let largest = 0;
    for (let i = 0; i < y.length; i++) {
      y[i] = this.#a[i]! - value * this.#b[i]!;
      smallest = Math.min(smallest, y[i]!);
      largest = Math.max(largest, y[i]!);
    }
    if (smallest === 0 || largest === 0)
      return { ratio: smallest === largest ? 0 : Number.POSITIVE_INFINITY, slope: 0 };
    const lambda = this.#maximum(-1 / largest, -1 / smallest);
    let ratio = 0;
    let slope = 0;
    for (let i = 0; i < y.length; i++) {
      const part = 1 + lambda * y[i]!;
      ratio += Math.log(part);
      slope -= (lambda * this.#b[i]!) / part;
    }
    return { ratio, slope };
  }

  /** λ between two bounds by Newton's method, from that of the value before. */
  #maximum(from: number, to: number): number {
    let [low, high] = [from, to];
    let lambda = this.#lambda > low && this.#lambda < high ? this.#lambda : 0;
    for (let step = 0; step < STEPS; step++) {
      let slope = 0;
      let curvature = 0;
      for (const y of this.#y) {
        const part = y / (1 + lambda * y);
        slope += part;
        curvature += part * part;
      }
      if (slope > 0) low = lambda;
      else high = lambda;
      const newton = lambda + slope / curvature;
      const next = newton > low && newton < high ? newton : (low + high) / 2;
      const isNear = Math.abs(next - lambda) <= 1e-10 * (to - from);
      lambda = next;
      if (isNear) break;
    }
    this.#lambda = lambda;
    return lambda;
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
