import { type Converted, midnight, refuse, wallTimeToUtc } from './wall-time.ts';

/** The format of `--timestamp-format` for days since 1900, as spreadsheets count them. */
export const SERIAL = 'excel';

const NUMBER = /^\d{1,7}(\.\d{1,20})?$/;
const DAY_MS = 86_400_000;
/** Day 0, as 1900 counts as a leap year: right from the day 61, which is 1 March 1900. */
const DAY_0 = Date.UTC(1899, 11, 30);
const FIRST = 61;
/** The day after 31 December 9999. */
const END = 2_958_466;
/** 1980 and 2100: numbers between are plausible days. */
const PLAUSIBLE_FROM = 29_221;
const PLAUSIBLE_TO = 73_051;

/** Converts a count of days and their fraction, which rounds to milliseconds. */
export function fromSerial(given: string, zone: string): Converted {
  const text = given.trim();
  if (!NUMBER.test(text)) return refuse(`is not of the form ${SERIAL} (--timestamp-format)`);
  const value = Number(text);
  if (value < FIRST || value >= END) return refuse('is not a day of a spreadsheet from March 1900 to 9999');
  const date = new Date(DAY_0 + Math.round(value * DAY_MS));
  const ms = date.getUTCMilliseconds();
  return wallTimeToUtc(
    {
      ...midnight(),
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      fraction: ms === 0 ? '' : String(ms).padStart(3, '0'),
    },
    zone,
  );
}

/** Returns whether a number is a day of these times. */
export function isPlausibleSerial(text: string): boolean {
  return NUMBER.test(text) && Number(text) >= PLAUSIBLE_FROM && Number(text) < PLAUSIBLE_TO;
}
