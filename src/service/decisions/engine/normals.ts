import type { Random } from '../../../kit/random.ts';

/** Cells of equal probability; within a cell the quantile function is nearly straight, except in the two outermost. */
const BITS = 12;
const CELLS = 2 ** BITS;

/**
 * Standard normal numbers by inversion of the distribution function: read off a table in between, computed in the
 * tails. By the array, with the state in local variables (sfc32, seeded by `random`): a decision may take a quarter of
 * a million.
 */
export class Normals {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(random: Random) {
    const next = () => (random() * 2 ** 32) | 0;
    this.#a = next();
    this.#b = next();
    this.#c = next();
  }

  /** A uniform number between 0 and 1, neither included. */
  uniform(): number {
    const bits = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + bits) | 0;
    return ((bits >>> 0) + 0.5) / 2 ** 32;
  }

  /** The highest of `count` normal numbers, by one: its distribution function is the normal one to that power. */
  highestOf(count: number): number {
    return -quantile(-Math.expm1(Math.log(this.uniform()) / count));
  }

  /** Fills an array. */
  fill(target: Float64Array): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let counter = this.#counter;
    for (let i = 0; i < target.length; i++) {
      const bits = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + bits) | 0;
      const cell = bits >>> (32 - BITS);
      if (cell === 0 || cell === CELLS - 1) target[i] = quantile(((bits >>> 0) + 0.5) / 2 ** 32);
      else target[i] = QUANTILES[cell]! + (bits & MASK) * SLOPES[cell]!;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#counter = counter;
  }
}

const MASK = 2 ** (32 - BITS) - 1;

const TAIL = 0.02425;
const A = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
];
const B = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
  1,
];
const C = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const D = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1];

const polynomial = (coefficients: readonly number[], x: number) =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

/** The quantile function of the standard normal distribution (Acklam, 2003; relative error below 1.2e-9). */
export function quantile(p: number): number {
  if (p > 0.5) return -quantile(1 - p);
  if (p < TAIL) {
    const q = Math.sqrt(-2 * Math.log(p));
    return polynomial(C, q) / polynomial(D, q);
  }
  const q = p - 0.5;
  return (q * polynomial(A, q * q)) / polynomial(B, q * q);
}

/** The quantiles of i / CELLS, and how they rise from one to the next; the outermost are not used. */
const QUANTILES = Float64Array.from({ length: CELLS }, (_, i) => quantile((i || 0.5) / CELLS));
const SLOPES = QUANTILES.map((low, i) => ((QUANTILES[i + 1] ?? low) - low) / (MASK + 1));
