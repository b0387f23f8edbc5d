/** Quantile of the standard normal distribution for an interval of 95 %. */
const Z = 1.959963984540054;

/** A share with its 95 % interval. */
export interface Rate {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** The share of `hits` in `n` trials with Wilson's score interval; null without trials. */
export function rateOf(hits: number, n: number): Rate | null {
  if (n <= 0) return null;
  const rate = Math.min(1, Math.max(0, hits / n));
  const middle = (rate + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n);
  const half = (Z / (1 + Z ** 2 / n)) * Math.sqrt((rate * (1 - rate)) / n + Z ** 2 / (4 * n ** 2));
  return {
    rate,
    low: Math.max(0, Math.min(rate, middle - half)),
    high: Math.min(1, Math.max(rate, middle + half)),
  };
}

/**
 * The mean of values in 0 to 1 with a 95 % interval: Wilson's, for as many trials as have the same variance. Null without
 * values.
 */
export function meanOf({ n, sum, squares }: { n: number; sum: number; squares: number }): Rate | null {
  if (n <= 0) return null;
  const mean = Math.min(1, Math.max(0, sum / n));
  // With one more value, of 1: few small values would seem to exclude that there are large ones.
  const cautious = Math.min(1, Math.max(0, (sum + 1) / (n + 1)));
  const variance = (squares + 1) / (n + 1) - cautious ** 2;
  // Values of 1 alone say no more than as many trials.
  const trials = variance > 0 ? (n * cautious * (1 - cautious)) / variance : n;
  // Sums may be a little beyond what values can have, by rounding, or as what takes them back comes first.
  const effective = trials > 0 ? trials : n;
  return { ...rateOf(mean * effective, effective)!, rate: mean };
}

/** The difference of two shares with its 95 % interval (Newcombe 1998, method 10). */
export function differenceOf(a: Rate, b: Rate): Rate {
  const rate = a.rate - b.rate;
  return {
    rate,
    low: rate - Math.hypot(a.rate - a.low, b.high - b.rate),
    high: rate + Math.hypot(a.high - a.rate, b.rate - b.low),
  };
}
