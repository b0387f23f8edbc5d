import { expect, test } from 'vitest';
import { moments, tickWords } from '../../src/console-page/parts/charts/tick-words.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Some instants from a time of day on, in the zone of the machine, on a day that is long over. */
const ticks = (hour: number, step: number, n: number) =>
  Array.from({ length: n }, (_, i) => new Date(2026, 0, 30, hour).getTime() + i * step);

test('an axis names each day once among its times of day', () => {
  expect(tickWords(ticks(18, 3 * HOUR, 4))).toEqual(['Fri 18:00', '21:00', 'Sat 31 Jan', '03:00']);
  expect(tickWords(ticks(13, 13 * HOUR, 2))).toEqual(['Fri 13:00', 'Sat 02:00']);
});

test('an axis over a week names days alone', () => {
  expect(tickWords(ticks(13, 3.5 * DAY, 3))).toEqual(['Fri 30 Jan', 'Tue 3 Feb', 'Fri 6 Feb']);
});

test('an axis of today has times of day, with seconds where they differ in these', () => {
  const noon = new Date().setHours(12, 0, 0, 0);
  expect(tickWords([noon, noon + HOUR])).toEqual(['12:00', '13:00']);
  expect(tickWords([noon, noon + 5000])).toEqual(['12:00:00', '12:00:05']);
});

test('a range names the days of both ends unless both are of today', () => {
  const [from, until] = [new Date(2026, 0, 30, 16).getTime(), new Date().setHours(12, 0, 0, 0)];
  for (const words of moments(from, until)) expect(words).toMatch(/^\w{3},? \d+ \w{3} \d\d:00$/);
  expect(moments(until, until + HOUR)).toEqual(['12:00', '13:00']);
});
