import { compileTimestampFormat } from '../mapping/time/timestamp-formats.ts';
import { toUtc } from '../mapping/time/timestamps.ts';
import { type FormatFit, fittingFormats } from './fitting-formats.ts';
import type { Profile } from './profile.ts';

/** The years that events are from, as far as a guess needs to know. */
const FIRST_YEAR = 1980;
const LAST_YEAR = 2100;
/** Share of the values that must be times, and how many of them are tried first. */
const MIN_TIME_SHARE = 0.9;
const TRIED = 12;

/** Returns how most values of a column can be read as times; only those with plausible years, if there are any. */
export function timesIn({ values, type }: Pick<Profile, 'values' | 'type'>): readonly FormatFit[] {
  if (type === 'boolean' || type === 'array' || type === 'object' || values.length === 0) return [];
  // A few words among times, such as Pending, are rejected one by one.
  const dated = values.filter(looksLikeTime);
  if (dated.length * 2 <= values.length) return [];
  const all = fittingFormats(dated);
  const fits = all.length > 0 ? all : fittingMost(dated);
  const plausible = fits.filter(
    ({ first, last }) => yearOf(first) >= FIRST_YEAR && yearOf(last) <= LAST_YEAR,
  );
  const kept = plausible.length > 0 ? plausible : fits;
  // What --convert-timestamps accepts can mean one thing only.
  const certain = kept.filter(({ format }) => format === null);
  const chosen = certain.length > 0 ? certain : kept;
  return chosen.map((fit) => ({ ...fit, unambiguous: chosen.length === 1 }));
}

/** The formats that fit the values but for a few, of which the import rejects each. */
function fittingMost(values: readonly string[]): readonly FormatFit[] {
  const half = Math.floor(values.length / 2);
  for (const start of [0, half, Math.max(0, values.length - TRIED)])
    for (const some of [values.slice(start, start + TRIED), values.slice(start, start + 1)])
      for (const fit of fittingFormats(some)) {
        const good = values.filter((value) => readerOf(fit)(value));
        if (good.length >= values.length * MIN_TIME_SHARE && good.length < values.length)
          return fittingFormats(good);
      }
  return [];
}

function readerOf({ format }: FormatFit): (value: string) => boolean {
  if (format === null) return (value) => toUtc(value, 'UTC').ok;
  const { parse } = compileTimestampFormat(format);
  return (value) => parse(value, 'UTC').ok;
}

/** Returns whether the times of a column are written as numbers, which could be something else. */
export function areNumbers(values: readonly string[]): boolean {
  return values.every((value) => /^-?\d+(\.\d+)?$/.test(value.trim()));
}

/** Returns whether a text is a time of day, without a date. */
export function isTimeOfDay(text: string): boolean {
  return /^(\d{1,2}[:.]\d\d([:.]\d\d([.,]\d+)?)?( ?[AP]M)?|([01]\d|2[0-3])[0-5]\d[0-5]\d)$/i.test(text);
}

function looksLikeTime(value: string): boolean {
  return value.length <= 80 && /\d/.test(value);
}

function yearOf(utc: string): number {
  return Number(utc.slice(0, 4));
}
