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

/** The difference of two shares with its 95 % interval (Newcombe 1998, method 10). */
export function differenceOf(a: Rate, b: Rate): Rate {
  const rate = a.rate - b.rate;
  return {
    rate,
    low: rate - Math.hypot(a.rate - a.low, b.high - b.rate),
    high: rate + Math.hypot(a.high - a.rate, b.rate - b.low),
  };
}
