import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { dayAround, localDay } from '../../../src/service/users/contact-day.ts';

const hours = (span: { start: number; end: number }) => (span.end - span.start) / 3_600_000;
const at = (text: string) => Date.parse(text);

test('a day on which clocks are set forward has 23 hours', () => {
  const span = dayAround(at('2026-03-29T10:00:00Z'), 'Europe/Berlin');
  expect(span).toEqual({
    day: '2026-03-29',
    start: at('2026-03-28T23:00:00Z'),
    end: at('2026-03-29T22:00:00Z'),
  });
  expect(hours(span)).toBe(23);
});

test('a day on which clocks are set back has 25 hours', () => {
  expect(hours(dayAround(at('2026-11-01T12:00:00Z'), 'America/New_York'))).toBe(25);
});

test('supports a clock change of half an hour', () => {
  expect(hours(dayAround(at('2026-04-05T01:00:00Z'), 'Australia/Lord_Howe'))).toBe(24.5);
});

test('supports a day that starts at 01:00, and one with 23:00 twice', () => {
  expect(dayAround(at('2026-09-06T12:00:00Z'), 'America/Santiago').start).toBe(at('2026-09-06T04:00:00Z'));
  expect(hours(dayAround(at('2026-10-24T12:00:00Z'), 'America/Nuuk'))).toBe(25);
});

test('supports a date that a country skipped', () => {
  expect(dayAround(at('2011-12-30T08:00:00Z'), 'Pacific/Apia')).toEqual({
    day: '2011-12-29',
    start: at('2011-12-29T10:00:00Z'),
    end: at('2011-12-30T10:00:00Z'),
  });
});

test('treats a missing or unknown time zone as UTC', () => {
  const span = { day: '2026-05-01', start: at('2026-05-01T00:00:00Z'), end: at('2026-05-02T00:00:00Z') };
  expect(dayAround(at('2026-05-01T23:59:59.999Z'), undefined)).toEqual(span);
  expect(dayAround(at('2026-05-01T00:00:00Z'), 'Mars/Olympus')).toEqual(span);
});

test('every instant lies in its day, and only the instants of a day have its date', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
    'Africa/Casablanca',
    'America/Havana',
  ];
  const minute = fc.integer({
    min: at('2024-01-01T00:00:00Z') / 60_000,
    max: at('2028-01-01T00:00:00Z') / 60_000,
  });
  fc.assert(
    fc.property(fc.constantFrom(...zones), minute, (zone, minutes) => {
      const now = minutes * 60_000;
      const { day, start, end } = dayAround(now, zone);
      expect(start <= now && now < end).toBe(true);
      for (let t = start; t < end; t += 30 * 60_000) expect(localDay(t, zone)).toBe(day);
      expect(localDay(end - 1, zone)).toBe(day);
      expect(localDay(start - 1, zone) < day).toBe(true);
      expect(localDay(end, zone) > day).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('zone names are case-insensitive, and the cache of zones is bounded', () => {
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  const spell = (i: number) =>
    [...'Australia/Lord_Howe']
      .map((c, k) => ((i >> (k % 12)) & 1 ? c.toUpperCase() : c.toLowerCase()))
      .join('');
  const days = Array.from({ length: 500 }, (_, i) => dayAround(Date.parse('2026-03-10T12:00:00Z'), spell(i)));
  expect(new Set(days.map(({ start }) => start)).size).toBe(1);
  expect(made.mock.calls.length).toBeLessThanOrEqual(1);
  made.mockRestore();
});
