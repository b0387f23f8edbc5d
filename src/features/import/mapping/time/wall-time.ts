import { isUtcDateTime } from '../../../../contract/timestamp.ts';
import { zoneOffset } from './zones.ts';

/** A time in UTC, or the reason why the text cannot be converted. */
export type Converted =
  | {
      readonly ok: true;
      readonly utc: string;
      /** The text contained no zone, and UTC was assumed. */
      readonly zoneless?: true;
    }
  | { readonly ok: false; readonly reason: string };

/** A date and time as it is written; nothing is checked yet. */
export interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** The digits after the decimal point of the seconds; empty if there are none. */
  fraction: string;
  /** 0 for AM, 12 for PM; undefined where `hour` counts to 24. */
  halfDay: number | undefined;
  /** 0 for Sunday; undefined if the text names none. */
  weekday: number | undefined;
  /** Minutes ahead of UTC, NaN if invalid; undefined if the text names none. */
  offset: number | undefined;
}

const NO_DATE = refuse('is not a date and time of the calendar');
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');

/** Returns a wall time without a date, at midnight. */
export function midnight(): WallTime {
  return {
    year: -1,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    fraction: '',
    halfDay: undefined,
    weekday: undefined,
    offset: undefined,
  };
}

/**
 * Converts a wall time to UTC; one without an offset is read in `zone`, an IANA name. A local time that the zone skips is
 * refused; of one that occurs twice, the earlier is used, as with "compatible" in Temporal. A fraction keeps its digits.
 */
export function wallTimeToUtc(wall: WallTime, zone: string): Converted {
  const { year, month, day, minute, second, fraction, halfDay, weekday, offset } = wall;
  let { hour } = wall;
  if (halfDay !== undefined) {
    if (hour < 1 || hour > 12) return refuse('has an hour that is not from 1 to 12 beside AM or PM');
    hour = (hour % 12) + halfDay;
  }
  if (!isOfCalendar(year, month, day) || hour > 23 || minute > 59 || second > 59) return NO_DATE;
  if (fraction.length > 9) return refuse('has more than nine digits below a second');
  const local = `${four(year)}-${TWO[month]}-${TWO[day]}T${TWO[hour]}:${TWO[minute]}:${TWO[second]}`;
  const tail = fraction === '' ? 'Z' : `.${fraction}Z`;
  if (weekday !== undefined && new Date(`${local}Z`).getUTCDay() !== weekday)
    return refuse('names a day of the week that is not the one of its date');
  if (offset === 0) return { ok: true, utc: local + tail };
  if (offset === undefined && zone === 'UTC') return { ok: true, utc: local + tail, zoneless: true };
  const at = Date.parse(`${local}Z`);
  const minutes = offset === undefined ? zoneOffset(at, zone) : offset;
  if (minutes === undefined) return refuse(`does not exist in ${zone}: the clock skips it`);
  if (Number.isNaN(minutes)) return refuse('has an invalid offset');
  return instantToUtc(at - minutes * 60_000, tail);
}

/** Writes the second of an instant in Unix milliseconds, and `tail` for what follows it. */
export function instantToUtc(instant: number, tail: string): Converted {
  const date = new Date(instant);
  const utc = date.getTime() >= YEAR_0 ? date.toISOString().slice(0, 19) + tail : '';
  return isUtcDateTime(utc) ? { ok: true, utc } : refuse('is outside the years 0000 to 9999');
}

export function refuse(reason: string): Converted & { ok: false } {
  return { ok: false, reason };
}

/** Parses `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02` to minutes ahead of UTC; NaN if it is out of range. */
export function offsetMinutes(text: string): number {
  if (/^(?:z|utc|gmt)$/i.test(text)) return 0;
  const sign = text.replace(/^(?:utc|gmt)/i, '');
  const hours = Number(sign.slice(1, 3));
  const minutes = Number(sign.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (sign.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

export const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const WEEKDAYS: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
];

/** Returns the index of the name that starts with the first three letters of `text`; -1 if there is none. */
export function nameIndex(names: readonly string[], text: string): number {
  const start = text.slice(0, 3).toLowerCase();
  return names.findIndex((name) => name.slice(0, 3).toLowerCase() === start);
}

/** The numbers from 0 to 99 in two digits. */
const TWO = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function four(year: number): string {
  return `${TWO[Math.floor(year / 100)]}${TWO[year % 100]}`;
}

function isOfCalendar(year: number, month: number, day: number): boolean {
  if (!(year >= 0 && year <= 9999 && month >= 1 && month <= 12 && day >= 1)) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : DAYS[month - 1]!);
}
