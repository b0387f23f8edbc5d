import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fittingFormats } from '../../../../../src/features/import/guess/fitting-formats.ts';
import {
  compileTimestampFormat,
  TimestampFormatError,
} from '../../../../../src/features/import/mapping/time/timestamp-formats.ts';
import { toUtc } from '../../../../../src/features/import/mapping/time/timestamps.ts';

const BERLIN = 'Europe/Berlin';

test.each([
  ['YYYYMMDD', '20190310', 'UTC', '2019-03-10T00:00:00Z'],
  ['YYYYMMDDHHmmss', '20150910004700', BERLIN, '2015-09-09T22:47:00Z'],
  ['YYMMDD', '930101', 'UTC', '1993-01-01T00:00:00Z'],
  ['YYMMDD', '680101', 'UTC', '2068-01-01T00:00:00Z'],
  ['YYYY-MM-DD', ' 2019-03-10 ', BERLIN, '2019-03-09T23:00:00Z'],
  ['DD/MM/YYYY HH:mm', '01/02/2026 13:45', 'UTC', '2026-02-01T13:45:00Z'],
  ['M/D/YYYY h:mm:ss A', '9/10/2015 12:05:00 am', 'UTC', '2015-09-10T00:05:00Z'],
  ['M/D/YYYY hh:mm a', '12/31/2015 01:05 p.m.', 'UTC', '2015-12-31T13:05:00Z'],
  ['DD.MM.YYYY HH:mm:ss,SSS', '31.12.2015 13:05:00,5', 'UTC', '2015-12-31T13:05:00.5Z'],
  ['YYYY-MM-DD HH:mm:ss.SSS Z', '2019-11-24 00:01:29.788335 +0100', 'UTC', '2019-11-23T23:01:29.788335Z'],
  ['YYYY-MM-DDTHH:mm:ssZ', '2019-11-24T00:01:29-02:00', BERLIN, '2019-11-24T02:01:29Z'],
  ['YYYY-MM-DDTHH:mm:ssZ', '2019-11-24T00:01:29Z', BERLIN, '2019-11-24T00:01:29Z'],
  ['YYYY-MM-DD HH:mm:ss Z', '2019-11-24 00:01:29 UTC', BERLIN, '2019-11-24T00:01:29Z'],
  ['YYYY-MM-DD HH:mm:ss UTC', '2019-11-24 00:01:29 UTC', BERLIN, '2019-11-24T00:01:29Z'],
  ['YYYYMMDDHHmmssSSS', '20191124000129788', 'UTC', '2019-11-24T00:01:29.788Z'],
  ['DD-MMM-YY hh:mm:ss.SSS A', '24-NOV-19 12.01', 'UTC', null],
  ['DD-MMM-YY hh.mm A', '24-NOV-19 12.01 AM', 'UTC', '2019-11-24T00:01:00Z'],
  ['dddd, MMMM D, YYYY H:mm', 'Sunday, November 24, 2019 0:01', 'UTC', '2019-11-24T00:01:00Z'],
  ['[Week of] D MMM YYYY', 'Week of 24 Nov 2019', 'UTC', '2019-11-24T00:00:00Z'],
  ['epoch-s', '0', 'UTC', '1970-01-01T00:00:00Z'],
  ['epoch-s', '-1.25', 'UTC', '1969-12-31T23:59:58.75Z'],
  ['epoch-ms', '-1', 'UTC', '1969-12-31T23:59:59.999Z'],
  ['epoch-ms', '937612800000', BERLIN, '1999-09-18T00:00:00.000Z'],
  ['epoch-us', '937612800000001', BERLIN, '1999-09-18T00:00:00.000001Z'],
  ['epoch-ns', '937612800000000001', BERLIN, '1999-09-18T00:00:00.000000001Z'],
  ['X', '1700000000', 'UTC', '2023-11-14T22:13:20Z'],
])('%s reads %j in %s as %s', (format, text, zone, utc) => {
  const read = compileTimestampFormat(format).parse(text, zone);
  expect(read).toMatchObject(utc === null ? { ok: false } : { ok: true, utc });
});

test.each([
  ['DD/MM/YYYY', '1/2/2026', 'is not of the form DD/MM/YYYY (--timestamp-format)'],
  ['DD/MM/YYYY', '01/02/2026 12:00', 'is not of the form DD/MM/YYYY (--timestamp-format)'],
  ['DD/MM/YYYY', '01/13/2026', 'is not a date and time of the calendar'],
  ['YYYYMMDD', '10032019', 'is not of the form YYYYMMDD (--timestamp-format)'],
  ['YYYY-MM-DD HH:mm', '2026-01-31 24:00', 'is not a date and time of the calendar'],
  ['YYYY-MM-DD hh:mm A', '2026-01-31 13:00 PM', 'has an hour that is not from 1 to 12 beside AM or PM'],
  ['YYYY-MM-DD HH:mm', '2026-03-29 02:30', 'does not exist in Europe/Berlin: the clock skips it'],
  ['epoch-ms', '1700000000', 'looks like epoch seconds, but is to be read as milliseconds'],
  ['epoch-us', '1700000000123', 'looks like epoch milliseconds, but is to be read as microseconds'],
  ['epoch-s', '1700000000123', 'looks like epoch milliseconds, but is to be read as seconds'],
  ['epoch-s', '5700000000123', 'is outside the years 0000 to 9999'],
  ['epoch-s', '1.7e9', 'is not of the form epoch-s (--timestamp-format)'],
])('%s refuses %j: it %s', (format, text, reason) => {
  expect(compileTimestampFormat(format).parse(text, BERLIN)).toEqual({ ok: false, reason });
});

test.each([
  ['yyyy-MM-dd HH:mm:ss', 'YYYY-MM-DD HH:mm:ss'],
  ["yyyy-MM-dd'T'HH:mm:ssXXX", 'YYYY-MM-DDTHH:mm:ssZ'],
  ['%Y-%m-%d %H:%M:%S', 'YYYY-MM-DD HH:mm:ss'],
  ['%d/%b/%Y:%T %z', 'DD/MMM/YYYY:HH:mm:ss Z'],
  ['YYYY-MM-DDTHH:mm:ss[Z] Q', undefined],
  ['YYYY-MM', undefined],
  ['HH:mm', undefined],
  ['YYYY-MM-DD hh:mm', undefined],
  ['YYYY-MM-DD HH:mm A', undefined],
  ['YYYY-MM-DD mm:ss', undefined],
  ['DMYYYY', undefined],
  ['YYYYMD', undefined],
  ['YYYY-MM-DD YYYY', undefined],
  ['', undefined],
  ['constructor', undefined],
])('the format %j is refused, and the one that is meant is %s', (format, suggestion) => {
  let thrown: unknown;
  try {
    compileTimestampFormat(format);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(TimestampFormatError);
  expect((thrown as TimestampFormatError).suggestion).toBe(suggestion);
});

/** Formats of every kind, and how each writes a time. */
const PARTS: Record<string, (date: Date) => string> = {
  YYYY: (date) => String(date.getUTCFullYear()),
  MMM: (date) => date.toUTCString().slice(8, 11),
  MM: (date) => pad(date.getUTCMonth() + 1),
  M: (date) => String(date.getUTCMonth() + 1),
  DD: (date) => pad(date.getUTCDate()),
  D: (date) => String(date.getUTCDate()),
  ddd: (date) => date.toUTCString().slice(0, 3),
  HH: (date) => pad(date.getUTCHours()),
  H: (date) => String(date.getUTCHours()),
  hh: (date) => pad(date.getUTCHours() % 12 || 12),
  mm: (date) => pad(date.getUTCMinutes()),
  ss: (date) => pad(date.getUTCSeconds()),
  A: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  Z: () => '+00:00',
};
const FORMATS = [
  'YYYY-MM-DD',
  'YYYY/MM/DD',
  'YYYYMMDD',
  'DDMMYYYY',
  'MMDDYYYY',
  'YYYY-MM-DD HH:mm',
  'YYYY-MM-DD HH:mm:ss',
  'YYYY-MM-DDTHH:mm:ssZ',
  'YYYYMMDDHH',
  'YYYYMMDDHHmm',
  'YYYYMMDDHHmmss',
  'YYYYMMDD HH:mm:ss',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'D/M/YYYY H:mm',
  'M/D/YYYY H:mm',
  'DD-MM-YYYY HH:mm:ss',
  'MM/DD/YYYY hh:mm A',
  'DD/MM/YYYY hh:mm:ss A',
  'DD MMM YYYY HH:mm',
  'ddd, DD MMM YYYY HH:mm:ss Z',
  'DD/MMM/YYYY:HH:mm:ss Z',
  'MMM D, YYYY HH:mm',
  'epoch-s',
  'epoch-ms',
  'epoch-us',
  'epoch-ns',
];
const EPOCH_DIGITS: Record<string, number> = { 'epoch-s': 0, 'epoch-ms': 3, 'epoch-us': 6, 'epoch-ns': 9 };

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

function written(format: string, seconds: number): string {
  const digits = EPOCH_DIGITS[format];
  if (digits !== undefined) return `${seconds}${'0'.repeat(digits)}`;
  const names = Object.keys(PARTS).join('|');
  return format.replace(new RegExp(names, 'g'), (name) => PARTS[name]!(new Date(seconds * 1000)));
}

/** Formats that read the texts of each other: which one is meant, only the user can tell. */
function areAmbiguous(a: string, b: string): boolean {
  const order = (format: string) => format.replace(/[^DMY]/g, '').replace(/(.)\1+/g, '$1');
  const shape = (format: string) => format.replaceAll('DD', 'D').replaceAll('MM', 'M').replace(/[DM]/g, 'N');
  const swapped = (format: string) => shape(format).replace(/[hH]+/g, 'h');
  if (order(a) !== order(b) && swapped(a) === swapped(b)) return true;
  // A row of digits is also a number of seconds.
  return /^epoch/.test(b) && /^[YMDHms]+$/.test(a);
}

describe('no date format reads the text of another as another time', () => {
  test.each(FORMATS)('written as %s', (format) => {
    const own = compileTimestampFormat(format);
    const others = FORMATS.filter((other) => other !== format && !areAmbiguous(format, other)).map(
      compileTimestampFormat,
    );
    fc.assert(
      fc.property(fc.integer({ min: 200_000_000, max: 1_900_000_000 }), (seconds) => {
        const text = written(format, seconds);
        const read = own.parse(text, 'UTC');
        expect(read.ok).toBe(true);
        const instant = read.ok ? Date.parse(read.utc) : Number.NaN;
        for (const other of others) {
          const found = other.parse(text, 'UTC');
          if (found.ok) expect([other.format, Date.parse(found.utc)]).toEqual([other.format, instant]);
        }
        // Without a format, a text is read as what it is or not at all.
        const alone = toUtc(text, 'UTC');
        if (alone.ok) expect(Date.parse(alone.utc)).toBe(instant);
        // The format is among those that are found, unless the text is read without it.
        const fits = fittingFormats([text]);
        const times = fits.map(({ first }) => Date.parse(first));
        expect(times).toContain(instant);
      }),
      { numRuns: 25 },
    );
  });
});

test.each<[string[], (string | null)[], string, string]>([
  [['2026-01-31T12:00:00Z'], [null], '', ''],
  [['2026-01-31 12:00', '2026-02-01 13:00'], [null], '--convert-timestamps', ''],
  [['20190310', '20190311'], ['YYYYMMDD'], '--timestamp-format YYYYMMDD', 'date zoneless'],
  [['01/02/2026', '31/12/2025'], ['DD/MM/YYYY'], '--timestamp-format DD/MM/YYYY', 'date zoneless'],
  [['1/2/2026 1:05', '12/31/2025 13:05'], ['M/D/YYYY H:mm'], '--timestamp-format M/D/YYYY H:mm', 'zoneless'],
  [['1700000000', '1700000001'], [null], '--convert-timestamps', ''],
  [['937612800000'], ['epoch-ms'], '--timestamp-format epoch-ms', ''],
  [['930101', '981231'], ['YYMMDD'], '--timestamp-format YYMMDD', 'date zoneless'],
])('the texts %j fit %j only', (texts, formats, flags, traits) => {
  const fits = fittingFormats(texts);
  expect(fits.map(({ format }) => format)).toEqual(formats);
  expect(fits[0]).toMatchObject({
    unambiguous: true,
    dateOnly: traits.includes('date'),
  });
  expect(fits[0]!.flags.join(' ')).toBe(flags);
});

test('where the texts do not decide, both orders fit, with the first and the last time of each', () => {
  expect(fittingFormats(['01/02/2026 12:00', '03/02/2026 12:00'])).toEqual([
    {
      format: 'DD/MM/YYYY HH:mm',
      flags: ['--timestamp-format', 'DD/MM/YYYY HH:mm'],
      unambiguous: false,
      zoneless: true,
      dateOnly: false,
      first: '2026-02-01T12:00:00Z',
      last: '2026-02-03T12:00:00Z',
    },
    {
      format: 'MM/DD/YYYY HH:mm',
      flags: ['--timestamp-format', 'MM/DD/YYYY HH:mm'],
      unambiguous: false,
      zoneless: true,
      dateOnly: false,
      first: '2026-01-02T12:00:00Z',
      last: '2026-03-02T12:00:00Z',
    },
  ]);
  expect(fittingFormats(['2019031012']).map(({ format }) => format)).toEqual(['YYYYMMDDHH', 'epoch-s']);
  expect(fittingFormats(['yesterday'])).toEqual([]);
  expect(fittingFormats([])).toEqual([]);
});
