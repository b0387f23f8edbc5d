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
  const certain = low > 0 || high < 0 ? 'and that is certain' : 'but that is not certain yet';
  return `${size} percentage points ${gain < 0 ? 'less' : 'more'} than an even choice${when && ` ${when}`}, ${certain}`;
}
