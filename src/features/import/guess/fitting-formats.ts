import { isUtcDateTime } from '../../../contract/timestamp.ts';
import { EPOCHS, type Epoch, isPlausibleEpoch } from '../mapping/time/epochs.ts';
import { fromSerial, isPlausibleSerial, SERIAL } from '../mapping/time/serial.ts';
import { compileTimestampFormat } from '../mapping/time/timestamp-formats.ts';
import { toUtc } from '../mapping/time/timestamps.ts';
import type { Converted } from '../mapping/time/wall-time.ts';

/** A way to read all given texts as times. */
export interface FormatFit {
  /** The value of `--timestamp-format`; null where the texts are read without it. */
  readonly format: string | null;
  /** The flags that select it; empty where the texts are UTC date-times already. */
  readonly flags: readonly string[];
  /** The texts cannot be read in another way. */
  readonly unambiguous: boolean;
  /** A text names no zone, so `--time-zone` decides. */
  readonly zoneless: boolean;
  /** The texts hold no time of day: each is read as midnight. */
  readonly dateOnly: boolean;
  /** The first and the last time, in UTC. */
  readonly first: string;
  readonly last: string;
}

const SEPARATORS = ['/', '-', '.'];
/** The orders of numbers with separators; the year comes last, or has two digits. */
const ORDERS = ['D M YYYY', 'M D YYYY', 'D M YY', 'M D YY', 'YY M D'];
const TIMES = ['', 'H:mm', 'H:mm:ss', 'H:mm:ss.SSS', 'H:mm:ss,SSS', 'h:mm A', 'h:mm:ss A', 'H.mm', 'H.mm.ss'];
const WORDS = [
  'D MMM YYYY',
  'D-MMM-YYYY',
  'D MMMM YYYY',
  'MMM D YYYY',
  'MMM D, YYYY',
  'MMMM D, YYYY',
  'D-MMM-YY',
];
const COMPACT = [
  'YYYYMMDD',
  'DDMMYYYY',
  'MMDDYYYY',
  'YYMMDD',
  'DDMMYY',
  'MMDDYY',
  'YYYYMMDDHH',
  'YYYYMMDDHHmm',
  'YYYYMMDDHHmmss',
  'YYYYMMDDHHmmssSSS',
  'YYYYMMDD HHmm',
  'YYYYMMDD HHmmss',
  'YYYYMMDD H:mm',
  'YYYYMMDD H:mm:ss',
  'YYMMDD HHmmss',
  'DDMMYY HHmmss',
  'MMDDYY HHmmss',
  'YYYYMMDD-H:m:s:SSS',
];

/** The known formats: each group holds spellings of one format, of which the first that fits is returned. */
const KNOWN: readonly (readonly string[])[] = [
  ...['-', '/', '.'].map((separator) => padded(`YYYY${separator}M${separator}D`)),
  // As in Hungarian and Korean.
  ...['YYYY.M.D.', 'YYYY. M. D.'].map(padded),
  ...ORDERS.flatMap((order) => SEPARATORS.map((separator) => order.replaceAll(' ', separator)))
    .concat(WORDS)
    .flatMap((date) => TIMES.flatMap((time) => timed(date, time)))
    .map(padded),
  ...COMPACT.map((format) => [format]),
];

function timed(date: string, time: string): string[] {
  if (time === '') return [date];
  return [`${date} ${time}`, `${date} ${time} Z`, `${date}T${time}`, `${date}, ${time}`];
}

/** The spellings of a format with and without leading zeros, from the strictest. */
function padded(format: string): string[] {
  const both = format.replace(/(?<!M)M(?!M)/, 'MM').replace(/(?<!D)D(?!D)/, 'DD');
  const hours = (text: string) => text.replace('H', 'HH').replace('h', 'hh');
  return [...new Set([hours(both), both, hours(format), format])];
}

/**
 * Returns every known way to read all the texts as times, none of them empty: unchanged, with `--convert-timestamps`, or
 * with a `--timestamp-format`. Both orders of day and month are returned where the texts do not decide.
 */
export function fittingFormats(values: readonly string[]): readonly FormatFit[] {
  if (values.length === 0) return [];
  const plain = spanOf(values, (text) => (isUtcDateTime(text) ? { ok: true, utc: text } : NO_TIME));
  if (plain) return [fitOf(null, [], plain)];
  const converted = spanOf(values, toUtc);
  const fits = converted ? [fitOf(null, ['--convert-timestamps'], converted)] : [];
  for (const spellings of KNOWN) {
    const found = firstFitting(spellings, values);
    // Where the year comes first or the month is a word, --convert-timestamps reads the same.
    if (found && !(converted && same(found, converted))) fits.push(found);
  }
  for (const epoch of Object.keys(EPOCHS) as Epoch[]) {
    if (converted || !values.every((text) => isPlausibleEpoch(text.trim(), epoch))) continue;
    const span = spanOf(values, compileTimestampFormat(epoch).parse);
    if (span) fits.push(fitOf(epoch, ['--timestamp-format', epoch], span));
  }
  if (!converted && values.every((text) => isPlausibleSerial(text.trim()))) {
    const whole = values.every((text) => /^\d+(\.0+)?$/.test(text.trim()));
    const span = spanOf(values, fromSerial);
    if (span) fits.push(fitOf(SERIAL, ['--timestamp-format', SERIAL], span, whole));
  }
  return fits.map((one) => ({ ...one, unambiguous: fits.length === 1 }));
}

interface Span {
  readonly first: string;
  readonly last: string;
  readonly zoneless: boolean;
}

const NO_TIME: Converted = { ok: false, reason: '' };
const compiled = new Map<string, ReturnType<typeof compileTimestampFormat>>();

function firstFitting(spellings: readonly string[], values: readonly string[]): FormatFit | undefined {
  for (const format of spellings) {
    let made = compiled.get(format);
    if (!made) {
      made = compileTimestampFormat(format);
      compiled.set(format, made);
    }
    const span = spanOf(values, made.parse);
    if (span) return fitOf(format, ['--timestamp-format', format], span, !made.hasTime);
  }
  return undefined;
}

/** The first and the last time of the texts; undefined if one of them is not read. */
function spanOf(
  values: readonly string[],
  parse: (text: string, zone: string) => Converted,
): Span | undefined {
  let first: string | undefined;
  let last: string | undefined;
  let zoneless = false;
  for (const value of values) {
    const read = parse(value, 'UTC');
    if (!read.ok) return undefined;
    zoneless ||= read.zoneless === true;
    if (first === undefined || compareTimes(read.utc, first) < 0) first = read.utc;
    if (last === undefined || compareTimes(read.utc, last) > 0) last = read.utc;
  }
  return first === undefined || last === undefined ? undefined : { first, last, zoneless };
}

/** Compares two UTC date-times, whose fractions may differ in length. */
function compareTimes(a: string, b: string): number {
  const left = a.slice(0, -1);
  const right = b.slice(0, -1);
  return left < right ? -1 : left > right ? 1 : 0;
}

function fitOf(format: string | null, flags: readonly string[], span: Span, dateOnly = false): FormatFit {
  return { format, flags, unambiguous: true, dateOnly, ...span };
}

function same(found: FormatFit, span: Span): boolean {
  return found.first === span.first && found.last === span.last;
}
