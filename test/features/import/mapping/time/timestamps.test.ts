import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUtcDateTime } from '../../../../../src/contract/timestamp.ts';
import { toUtc } from '../../../../../src/features/import/mapping/time/timestamps.ts';

const BERLIN = 'Europe/Berlin';
const NO_TIME =
  "is not a time that can be converted; write 2025-12-31T13:45:00Z, or name its form with --timestamp-format, such as --timestamp-format 'DD.MM.YYYY HH:mm'";
const EITHER_WAY =
  "may be day/month or month/day: name its form, such as --timestamp-format 'DD/MM/YYYY HH:mm'";
const NO_TIME_OF_DAY = 'has no time of day: --timestamp-format YYYY-MM-DD reads it as midnight';
const ANY_NUMBER =
  'is a number that need not be an epoch: name its unit, such as --timestamp-format epoch-s or epoch-ms';
const compact = (format: string) =>
  `is a number that may be a date or an epoch: name its form, such as --timestamp-format ${format}`;

test.each([
  ['2026-01-31T12:00:00.120Z', 'UTC', '2026-01-31T12:00:00.120Z'],
  ['2006-04-07 17:08', 'UTC', '2006-04-07T17:08:00Z'],
  ['2006-04-07 17:08', BERLIN, '2006-04-07T15:08:00Z'],
  ['2006-01-07 17:08', BERLIN, '2006-01-07T16:08:00Z'],
  ['2026-01-31T12:00:00+02:00', BERLIN, '2026-01-31T10:00:00Z'],
  ['2026-01-31T00:30:00.123456789-0930', 'UTC', '2026-01-31T10:00:00.123456789Z'],
  ['2026-01-31 12:00:00,5 +01', 'UTC', '2026-01-31T11:00:00.5Z'],
  ['2026-01-31t12:00:00z', BERLIN, '2026-01-31T12:00:00Z'],
  ['1700000000', BERLIN, '2023-11-14T22:13:20Z'],
  ['1700000000.25', 'UTC', '2023-11-14T22:13:20.25Z'],
  ['1700000000123', 'UTC', '2023-11-14T22:13:20.123Z'],
  ['937612800', 'UTC', '1999-09-18T00:00:00Z'],
  ['1700000000.0', 'UTC', '2023-11-14T22:13:20Z'],
  ['1700000000123.5', 'UTC', '2023-11-14T22:13:20.1235Z'],
  ['1700000000123456', 'UTC', '2023-11-14T22:13:20.123456Z'],
  ['1700000000123456789', 'UTC', '2023-11-14T22:13:20.123456789Z'],
  ['2017-06-25 12:00:00 UTC', BERLIN, '2017-06-25T12:00:00Z'],
  ['2015-09-10 0:47', 'UTC', '2015-09-10T00:47:00Z'],
  ['2015/9/10 0:47', BERLIN, '2015-09-09T22:47:00Z'],
  ['2015-09-10 12:05 AM', 'UTC', '2015-09-10T00:05:00Z'],
  ['20150910T004700Z', BERLIN, '2015-09-10T00:47:00Z'],
  ['Sun, 06 Nov 1994 08:49:37 GMT', BERLIN, '1994-11-06T08:49:37Z'],
  ['6 November 1994 08:49 +0100', 'UTC', '1994-11-06T07:49:00Z'],
  ['10/Oct/2000:13:55:36 -0700', 'UTC', '2000-10-10T20:55:36Z'],
  ['[10/Oct/2000:13:55:36 -0700]', 'UTC', '2000-10-10T20:55:36Z'],
  ['[10/Oct/2000:13:55:36]', 'UTC', '2000-10-10T13:55:36Z'],
  ['Oct 10, 2000, 1:55:36 PM', 'UTC', '2000-10-10T13:55:36Z'],
  ['Wed Oct 10 20:19:24 +0000 2018', BERLIN, '2018-10-10T20:19:24Z'],
  ['Tue Oct 10 2000 13:55:36 GMT+0200 (CEST)', 'UTC', '2000-10-10T11:55:36Z'],
  // The hour that Berlin has twice: the earlier of the two.
  ['2026-10-25 02:30', BERLIN, '2026-10-25T00:30:00Z'],
  ['2026-10-25 03:00', BERLIN, '2026-10-25T02:00:00Z'],
  ['2026-03-29 01:59', BERLIN, '2026-03-29T00:59:00Z'],
  ['2026-03-29 03:00', BERLIN, '2026-03-29T01:00:00Z'],
])('%s in %s is %s', (text, zone, utc) => {
  expect(toUtc(text, zone)).toMatchObject({ ok: true, utc });
});

test.each([
  ['yesterday', 'UTC', NO_TIME],
  ['12:00', 'UTC', NO_TIME],
  ['', 'UTC', NO_TIME],
  ['2026-01-31', 'UTC', NO_TIME_OF_DAY],
  ['2026-01-31', BERLIN, NO_TIME_OF_DAY],
  // Each was read as an epoch once: 1970-08-22, 2608-07-15, 1970-01-11.
  ['20190310', 'UTC', compact('YYYYMMDD')],
  ['20150910004700', 'UTC', compact('YYYYMMDDHHmmss')],
  ['930101', 'UTC', compact('YYMMDD')],
  ['201509100047', 'UTC', compact('YYYYMMDDHHmm')],
  ['2019031012', 'UTC', compact('YYYYMMDDHH')],
  ['20190310123456789', 'UTC', compact('YYYYMMDDHHmmssSSS')],
  ['20201132', 'UTC', ANY_NUMBER],
  ['134500123', 'UTC', ANY_NUMBER],
  ['937612800000', 'UTC', ANY_NUMBER],
  ['5551234567', 'UTC', ANY_NUMBER],
  ['-1', 'UTC', ANY_NUMBER],
  ['0', 'UTC', ANY_NUMBER],
  ['1.7e9', 'UTC', NO_TIME],
  ['Mon, 06 Nov 1994 08:49:37 GMT', 'UTC', 'names a day of the week that is not the one of its date'],
  ['2015-09-10 13:05 PM', 'UTC', 'has an hour that is not from 1 to 12 beside AM or PM'],
  ['2015-09-10 12:00 PST', 'UTC', NO_TIME],
  ['31/12/2025', 'UTC', EITHER_WAY],
  ['31/12/2025 13:45', BERLIN, EITHER_WAY],
  ['1.2.26', 'UTC', EITHER_WAY],
  ['01-02-2025T10:00:00Z', 'UTC', EITHER_WAY],
  ['2026-02-30 12:00', 'UTC', 'is not a date and time of the calendar'],
  ['2026-01-31 24:00', 'UTC', 'is not a date and time of the calendar'],
  ['2026-01-31 12:00+99:00', 'UTC', 'has an invalid offset'],
  ['2026-03-29 02:30', BERLIN, 'does not exist in Europe/Berlin: the clock skips it'],
  ['9999-12-31T23:59:00-12:00', 'UTC', 'is outside the years 0000 to 9999'],
])('%s in %s is refused: it %s', (text, zone, reason) => {
  expect(toUtc(text, zone)).toEqual({ ok: false, reason });
});

test('converts an instant in any zone back to the same instant', () => {
  const zones = ['UTC', BERLIN, 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), fc.constantFrom(...zones), (seconds, zone) => {
      const parts = new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'medium',
      }).format(seconds * 1000);
      const converted = toUtc(parts, zone);
      expect(converted.ok && isUtcDateTime(converted.utc)).toBe(true);
      // An hour that comes twice is read as the earlier one.
      const back = converted.ok ? Date.parse(converted.utc) / 1000 : Number.NaN;
      expect([0, 1800, 3600]).toContain(seconds - back);
    }),
  );
});
