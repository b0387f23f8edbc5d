import { points } from '../../parts/numbers.ts';

/** What makes the choice of a content, with what is said of it. */
export const POLICIES = [
  ['learned', 'Learned', 'chosen by what was learned'],
  ['holdout', 'Held out', 'chosen evenly'],
  ['weights', 'Fixed weights', 'chosen by the weights of the catalog'],
] as const;

/** What learning earns over an even choice, and whether that is certain, after `earns`. `when` is a range in words. */
export function gainWords(
  gain: number,
  { low, high }: { readonly low: number; readonly high: number },
  when = '',
): string {
  const size = points(Math.abs(gain)).slice(1);
  const isCertain = low > 0 || high < 0;
  const even = `an even choice${when && ` ${when}`}`;
  if (size === '0.0' && !isCertain) return `as much as ${even} so far`;
  return `${size} percentage points ${gain < 0 ? 'less' : 'more'} than ${even}, ${isCertain ? 'and that is certain' : 'but that is not certain yet'}`;
}
