import { type FormatFit, fittingFormats } from '../transform/fitting-formats.ts';
import type { Profile } from './profile.ts';

/** The years that events are from, as far as a guess needs to know. */
const FIRST_YEAR = 1980;
const LAST_YEAR = 2100;

/** Returns how the values of a column can be read as times; only those with plausible years, if there are any. */
export function timesIn({ values, type }: Pick<Profile, 'values' | 'type'>): readonly FormatFit[] {
  if (type === 'boolean' || type === 'array' || type === 'object' || values.length === 0) return [];
  if (!values.slice(0, 20).every(looksLikeTime)) return [];
  const fits = fittingFormats(values);
  const plausible = fits.filter(({ first, last }) => yearOf(first) >= FIRST_YEAR && yearOf(last) <= LAST_YEAR);
  const kept = plausible.length > 0 ? plausible : fits;
  return kept.map((fit) => ({ ...fit, unambiguous: kept.length === 1 }));
}

/** Returns whether the times of a column are written as numbers, which could be something else. */
export function areNumbers(values: readonly string[]): boolean {
  return values.every((value) => /^-?\d+(\.\d+)?$/.test(value.trim()));
}

function looksLikeTime(value: string): boolean {
  return value.length <= 80 && /\d/.test(value);
}

function yearOf(utc: string): number {
  return Number(utc.slice(0, 4));
}
