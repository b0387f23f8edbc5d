/**
 * The gain of the learned choice over the holdout group with an interval that may be looked at every day: a confidence
 * sequence, which holds at all times at once, and so also at the time at which somebody stops looking.
 *
 * Each user is in the holdout group by a draw with a known share, so the values of both groups, weighted by the reciprocals
 * of their shares, sum up to the gain. For weighted values ψ ≥ -c with mean μ, exp(λ Σ(ψ - μ) - ψE(λ) Σψ²) with
 * ψE(λ) = (-log(1 - λc) - λc) / c² is a supermartingale for every λ in [0, 1/c) (Fan, Grama and Liu 2015; Howard, Ramdas,
 * McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences", theorem 4, with 0 as the
 * prediction). A mixture of them over λ stays below 1/α for ever with a probability of at least 1 - α (Ville), so the
 * gain is where it does. The weights are those of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, "Time-uniform
 * central limit theory and asymptotic confidence sequences", for the difference of two groups.
 *
 * The values of one user are one value ψ: users return, and are in the same group each time.
 */

/** What one group earned of a goal. */
export interface GroupSums {
  /** Decisions that count. */
  readonly served: number;
  /** What they earned, each up to 1. */
  readonly value: number;
  /** The sum of the squares of what each user earned. */
  readonly squares: number;
  /** The most that a user earned. */
  readonly most: number;
}

/** A gain per decision, and where it lies. */
export interface GainInterval {
  readonly gain: number;
  readonly low: number;
  readonly high: number;
}

/** Half of the probability that the interval ever misses the gain, for each side. */
const SIDE = 0.025;
/** The mixture: λc from 0.9 down, each next one smaller by this factor. Together they cover 1 to some 10⁹ decisions. */
const LARGEST = 0.9;
const STEP = 0.7;
const LAMBDAS = Array.from({ length: 40 }, (_, i) => {
  const lambda = LARGEST * STEP ** i;
  return { lambda, penalty: -Math.log1p(-lambda) - lambda };
});
/** The log of the evidence that is needed: the mixture stays below it with a probability of 97.5 %. */
const NEEDED = -Math.log(SIDE);

/** Both groups as weighted sums. */
function weighted(one: GroupSums, other: GroupSums) {
  const served = one.served + other.served;
  const [weight, otherWeight] = [served / one.served, served / other.served];
  const most = Math.max(1, one.most, other.most);
  return {
    served,
    sum: weight * one.value - otherWeight * other.value,
    squares: weight ** 2 * one.squares + otherWeight ** 2 * other.squares,
    // The least weighted value of each direction is the most that a user of the other group can earn.
    scale: otherWeight * most,
    otherScale: weight * most,
  };
}

/** The gain of the learned choice over the holdout group; null without decisions of both. */
export function gainOf(learned: GroupSums, holdout: GroupSums): GainInterval | null {
  if (learned.served <= 0 || holdout.served <= 0) return null;
  const { served, sum, squares, scale, otherScale } = weighted(learned, holdout);
  return {
    gain: sum / served,
    low: Math.max(-1, (sum - deviation(squares, scale)) / served),
    high: Math.min(1, (sum + deviation(squares, otherScale)) / served),
  };
}

/** True if one group earns more per decision than another, by more than `margin`, beyond doubt: as `low` of `gainOf` says. */
export function isAhead(one: GroupSums, other: GroupSums, margin: number): boolean {
  if (one.served <= 0 || other.served <= 0) return false;
  const { served, sum, squares, scale } = weighted(one, other);
  return evidence((sum - margin * served) / scale, squares / scale ** 2) >= NEEDED;
}

/** The log of the mixture, of values that are at least -1. */
function evidence(sum: number, squares: number): number {
  if (sum <= 0) return Number.NEGATIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const { lambda, penalty } of LAMBDAS) most = Math.max(most, lambda * sum - penalty * squares);
  let total = 0;
  for (const { lambda, penalty } of LAMBDAS) total += Math.exp(lambda * sum - penalty * squares - most);
  return most + Math.log(total / LAMBDAS.length);
}

/** The largest sum of deviations that is not beyond doubt at a sum of squares, of values that are at least -`scale`. */
function deviation(squares: number, scale: number): number {
  const intrinsic = squares / scale ** 2;
  let [low, high] = [0, 1];
  while (evidence(high, intrinsic) < NEEDED) [low, high] = [high, 2 * high];
  while (high - low > 1e-9 * high) {
    const middle = (low + high) / 2;
    if (evidence(middle, intrinsic) < NEEDED) low = middle;
    else high = middle;
  }
  return high * scale;
}
