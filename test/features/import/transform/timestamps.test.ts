import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUtcDateTime } from '../../../../src/contract/timestamp.ts';
import { toUtc } from '../../../../src/features/import/transform/timestamps.ts';

const BERLIN = 'Europe/Berlin';
const NO_TIME =
  'is not a time that can be converted; write 2025-12-31T13:45:00Z, 2025-12-31 13:45, either with an offset such as +02:00, or epoch seconds or milliseconds';
const EITHER_WAY = 'may be day/month or month/day: write the year first, such as 2025-12-31T13:45:00Z';

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
  ['-1', 'UTC', '1969-12-31T23:59:59Z'],
  ['-1.25', 'UTC', '1969-12-31T23:59:58.75Z'],
  ['0', 'UTC', '1970-01-01T00:00:00Z'],
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
  ['2026/01/31 12:00', 'UTC', NO_TIME],
  ['2026-01-31', 'UTC', 'has no time of day: write 2026-01-31T00:00:00Z if the time does not matter'],
  ['2026-01-31', BERLIN, 'has no time of day: write 2026-01-31 00:00 if the time does not matter'],
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
