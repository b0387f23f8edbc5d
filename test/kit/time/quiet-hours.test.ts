import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isQuiet, minutesOfDay, quietUntil, SENDING_MS } from '../../../src/kit/time/quiet-hours.ts';

const at = (text: string) => Date.parse(text);
const hours = (from: string, until: string) => ({ from: minutesOfDay(from)!, until: minutesOfDay(until)! });
const iso = (instant: number | undefined) => instant && new Date(instant).toISOString();

test('a time of day is read to the minute, and nothing else', () => {
  expect(['00:00', '08:30', '23:59'].map(minutesOfDay)).toEqual([0, 510, 1439]);
  for (const text of ['24:00', '8:30', '08:60', '0830', '', '08:30:00', ' 08:30'])
    expect(minutesOfDay(text)).toBeUndefined();
});

test('quiet hours over midnight end in the morning of the user', () => {
  const night = hours('21:00', '08:00');
  expect(iso(quietUntil(at('2026-06-01T20:30:00Z'), 'Europe/Berlin', night))).toBe(
    '2026-06-02T06:00:00.000Z',
  );
  expect(iso(quietUntil(at('2026-06-01T20:30:00Z'), 'America/New_York', night))).toBeUndefined();
  expect(iso(quietUntil(at('2026-06-01T20:30:00Z'), undefined, night))).toBeUndefined();
});

test('nothing is sent that could arrive after quiet hours began', () => {
  const night = hours('21:00', '08:00');
  expect(quietUntil(at('2026-06-01T20:58:59Z'), 'UTC', night)).toBeUndefined();
  expect(iso(quietUntil(at('2026-06-01T20:59:30Z'), 'UTC', night))).toBe('2026-06-02T08:00:00.000Z');
});

test('a night with a clock change is an hour shorter or longer', () => {
  const night = hours('21:00', '08:00');
  const evening = (day: string) => at(`${day}T22:00:00Z`);
  // Clocks are set forward on 2026-03-29 and back on 2026-10-25, at 01:00 UTC.
  expect(iso(quietUntil(evening('2026-03-28'), 'Europe/Berlin', night))).toBe('2026-03-29T06:00:00.000Z');
  expect(iso(quietUntil(evening('2026-10-24'), 'Europe/Berlin', night))).toBe('2026-10-25T07:00:00.000Z');
});

test('hours that a clock skips are not quiet, and hours that it shows twice are quiet twice', () => {
  const early = hours('01:00', '02:30');
  expect(iso(quietUntil(at('2026-03-29T00:30:00Z'), 'Europe/Berlin', early))).toBe(
    '2026-03-29T01:00:00.000Z',
  );
  const second = at('2026-10-25T01:10:00Z');
  expect(isQuiet(second, 'Europe/Berlin', early)).toBe(true);
  expect(iso(quietUntil(second, 'Europe/Berlin', early))).toBe('2026-10-25T01:30:00.000Z');
});

/** The time of day by another way: the text of a date. */
function clockOf(instant: number, timeZone: string): number {
  const text = new Date(instant).toLocaleTimeString('en-GB', { timeZone });
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
}

test('for every zone, hour and clock change, the end is the first minute at which nothing is quiet', () => {
  const zones = [
    ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Santiago'],
    ...['Africa/Casablanca', 'Pacific/Chatham', 'America/Havana', 'America/Nuuk', 'UTC'],
  ];
  const minute = fc.integer({
    min: at('2024-01-01T00:00:00Z') / 60_000,
    max: at('2028-01-01T00:00:00Z') / 60_000,
  });
  // At least an hour of the day is not quiet, as the catalog requires.
  const quiet = fc
    .tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1380 }))
    .map(([from, length]) => ({ from, until: (from + length) % 1440 }));
  fc.assert(
    fc.property(fc.constantFrom(...zones), minute, quiet, (zone, minutes, range) => {
      const now = minutes * 60_000;
      const forbidden = (instant: number) =>
        [instant, instant + SENDING_MS].some((each) => {
          const clock = clockOf(each, zone);
          return range.from < range.until
            ? clock >= range.from && clock < range.until
            : clock >= range.from || clock < range.until;
        });
      const until = quietUntil(now, zone, range);
      expect(until !== undefined).toBe(forbidden(now));
      if (until === undefined) return;
      expect(forbidden(until)).toBe(false);
      expect(forbidden(until - 60_000)).toBe(true);
      // Nothing between is free but gaps that a clock change leaves.
      for (let between = now; between < until; between += 15 * 60_000)
        expect(forbidden(between), new Date(between).toISOString()).toBe(true);
    }),
    { numRuns: 300 },
  );
});
