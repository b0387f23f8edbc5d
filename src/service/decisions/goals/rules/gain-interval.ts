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

/** Two groups over a span of time in which their shares of the decisions hardly change. */
export interface Span {
  readonly one: GroupSums;
  readonly other: GroupSums;
}

/** Both groups of a span as weighted sums, whose expectation is `weight` times the gain; undefined without decisions of both. */
function weighted({ one, other }: Span) {
  const served = one.served + other.served;
  if (one.served <= 0 || other.served <= 0) return undefined;
  const [share, otherShare] = [other.served / served, one.served / served];
  const most = Math.max(1, one.most, other.most);
  return {
    weight: share * one.served,
    sum: share * one.value - otherShare * other.value,
    squares: share ** 2 * one.squares + otherShare ** 2 * other.squares,
    // The least weighted value of each direction is the most that a user of the other group can earn.
    scale: otherShare * most,
    otherScale: share * most,
  };
}

/** The gain of the learned choice over the holdout group; null without decisions of both. */
export function gainOf(learned: GroupSums, holdout: GroupSums): GainInterval | null {
  const sums = weighted({ one: learned, other: holdout });
  if (!sums) return null;
  const { weight, sum, squares, scale, otherScale } = sums;
  return {
    gain: learned.value / learned.served - holdout.value / holdout.served,
    low: Math.max(-1, (sum - deviation(squares, scale)) / weight),
    high: Math.min(1, (sum + deviation(squares, otherScale)) / weight),
  };
}

/** The weighted values of spans, summed up, less a margin; `scale` is the least of them, negated. */
export interface Evidence {
  readonly sum: number;
  readonly squares: number;
  readonly scale: number;
}

export const NO_EVIDENCE: Evidence = { sum: 0, squares: 0, scale: 0 };

/**
 * Adds a span to the evidence that the first group earns more per decision, by more than `margin`. The groups are
 * compared within each span alone, so it does not matter if their shares, or what all earn, change from span to span.
 */
export function withSpan(evidence: Evidence, span: Span, margin: number): Evidence {
  const sums = weighted(span);
  if (!sums) return evidence;
  return {
    sum: evidence.sum + sums.sum - margin * sums.weight,
    squares: evidence.squares + sums.squares,
    scale: Math.max(evidence.scale, sums.scale),
  };
}

/** True if evidence leaves no doubt: that is ever said of what is not so with at most the probability `doubt`. */
export function isBeyondDoubt({ sum, squares, scale }: Evidence, doubt: number): boolean {
  const needed = -Math.log(doubt);
  // No λ makes more of a sum.
  if (scale === 0 || LARGEST * sum < needed * scale) return false;
  return evidenceOf(sum / scale, squares / scale ** 2) >= needed;
}

/** True if one group earns more per decision than another, by more than `margin`, beyond doubt: as `low` of `gainOf` says. */
export const isAhead = (one: GroupSums, other: GroupSums, margin: number): boolean =>
  isBeyondDoubt(withSpan(NO_EVIDENCE, { one, other }, margin), SIDE);

/** The log of the mixture, of values that are at least -1. */
function evidenceOf(sum: number, squares: number): number {
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
  while (evidenceOf(high, intrinsic) < NEEDED) [low, high] = [high, 2 * high];
  while (high - low > 1e-9 * high) {
    const middle = (low + high) / 2;
    if (evidenceOf(middle, intrinsic) < NEEDED) low = middle;
    else high = middle;
  }
  return high * scale;
}
