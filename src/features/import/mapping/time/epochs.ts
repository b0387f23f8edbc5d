import { type Converted, instantToUtc, refuse } from './wall-time.ts';

/** The epochs by the name of their format, with the number of decimal digits below a second. */
export const EPOCHS = { 'epoch-s': 0, 'epoch-ms': 3, 'epoch-us': 6, 'epoch-ns': 9 } as const;
export type Epoch = keyof typeof EPOCHS;

const NUMBER = /^(-?)(\d{1,25})(?:\.(\d{1,25}))?$/;
/** 1973-03-03 and 2100-01-01 in seconds: what lies between is plausible without being asked for. */
const PLAUSIBLE_FROM = 1e8;
const PLAUSIBLE_TO = 4_102_444_800;
const UNITS: Readonly<Record<Epoch, string>> = {
  'epoch-s': 'seconds',
  'epoch-ms': 'milliseconds',
  'epoch-us': 'microseconds',
  'epoch-ns': 'nanoseconds',
};

/**
 * Converts the number of an epoch to UTC; undefined if the text is not a decimal number. A number that is a plausible
 * time in another unit is refused: it would be in the first weeks of 1970, or after the year 5000.
 */
export function fromEpoch(text: string, epoch: Epoch): Converted | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const value = Math.abs(Number(text));
  const digits = EPOCHS[epoch];
  const meant = (Object.keys(EPOCHS) as Epoch[]).find(
    (other) => other !== epoch && isPlausible(value, other),
  );
  if (meant) return refuse(`looks like epoch ${UNITS[meant]}, but is to be read as ${UNITS[epoch]}`);
  const [, sign = '', whole = '', rest = ''] = match;
  const padded = whole.padStart(digits + 1, '0');
  const seconds = padded.slice(0, padded.length - digits);
  const below = padded.slice(padded.length - digits);
  const fraction = below + (Number(rest) === 0 ? '' : rest);
  if (fraction.length > 9) return refuse('has more than nine digits below a second');
  return sign ? beforeEpoch(seconds, fraction) : instantToUtc(Number(seconds) * 1000, tailOf(fraction));
}

/** Before 1970 a fraction counts backwards, so the rest of the second is its complement. */
function beforeEpoch(seconds: string, fraction: string): Converted {
  if (Number(fraction) === 0) return instantToUtc(-Number(seconds) * 1000, tailOf(fraction));
  const complement = String(10 ** fraction.length - Number(fraction)).padStart(fraction.length, '0');
  return instantToUtc((-Number(seconds) - 1) * 1000, tailOf(complement));
}

function tailOf(fraction: string): string {
  return fraction === '' ? 'Z' : `.${fraction}Z`;
}

/**
 * Returns the epoch that a number must be, as it cannot be anything else: seconds of 9 or 10 digits before the point,
 * milliseconds of 13, microseconds of 16, nanoseconds of 19, from 1973 to 2100. All other lengths also occur as dates or
 * times without separators, and so do numbers of 9, 10 or 16 digits whose digits are such a time.
 */
export function certainEpoch(text: string): Epoch | undefined {
  const match = NUMBER.exec(text);
  if (match?.[1] !== '') return undefined;
  const digits = match[2]!;
  const epoch = BY_DIGITS[digits.length];
  if (!epoch || !isPlausible(Number(digits), epoch)) return undefined;
  const other = LOOKALIKES[digits.length];
  return other?.test(digits) ? undefined : epoch;
}

/** Returns whether the number is a time from 1973 to 2100 in the unit of the epoch. */
export function isPlausibleEpoch(text: string, epoch: Epoch): boolean {
  const match = NUMBER.exec(text);
  return match !== null && match[1] === '' && isPlausible(Number(match[2]), epoch);
}

function isPlausible(value: number, epoch: Epoch): boolean {
  const seconds = value / 10 ** EPOCHS[epoch];
  return seconds >= PLAUSIBLE_FROM && seconds < PLAUSIBLE_TO;
}

const BY_DIGITS: Readonly<Record<number, Epoch>> = {
  9: 'epoch-s',
  10: 'epoch-s',
  13: 'epoch-ms',
  16: 'epoch-us',
  19: 'epoch-ns',
};
const HOUR = '(?:[01]\\d|2[0-3])';
const DATE = '(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])';
/** What else a number of that many digits can be: HHmmssSSS, YYYYMMDDHH, and YYYYMMDDHHmmssSS. */
const LOOKALIKES: Readonly<Record<number, RegExp>> = {
  9: new RegExp(`^${HOUR}[0-5]\\d[0-5]\\d\\d{3}$`),
  10: new RegExp(`^${DATE}${HOUR}$`),
  16: new RegExp(`^${DATE}${HOUR}[0-5]\\d[0-5]\\d\\d\\d$`),
};
