import { expect, test } from 'vitest';
import { timeTicks, valueTicks } from '../../src/console-page/parts/charts/ticks.ts';

test('values of an axis are round, at most five, and of counts none is a fraction', () => {
  expect(valueTicks(105)).toEqual([0, 50, 100]);
  expect(valueTicks(1.05)).toEqual([0, 0.5, 1]);
  expect(valueTicks(2.1, 1)).toEqual([0, 1, 2]);
  expect(valueTicks(1.05, 1)).toEqual([0, 1]);
  expect(valueTicks(8)).toEqual([0, 2, 4, 6, 8]);
  for (const max of [1e-9, 0.000_3, 0.07, 1, 9.99, 12_345, 7e8]) {
    const ticks = valueTicks(max);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(5);
    expect(ticks.at(-1)).toBeLessThanOrEqual(max * 1.000_001);
  }
});

test('times of an axis are round where the reader is, at most six, and lie within its ends', () => {
  const at = (text: string) => new Date(text).getTime();
  const from = at('2026-03-04T09:07:12');
  expect(timeTicks(from, at('2026-03-04T09:09:12')).map((time) => new Date(time).getSeconds())).toEqual([
    30, 0, 30, 0,
  ]);
  expect(timeTicks(from, at('2026-03-05T09:07:12')).map((time) => new Date(time).getHours())).toEqual([
    12, 18, 0, 6,
  ]);
  expect(timeTicks(from, at('2026-03-11T09:07:12')).map((time) => new Date(time).getHours())).toEqual([
    0, 0, 0,
  ]);
  for (const span of [1000, 90_000, 3_600_000, 7 * 86_400_000, 400 * 86_400_000, 9e11]) {
    const ticks = timeTicks(from, from + span);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(Math.min(...ticks)).toBeGreaterThanOrEqual(from);
    expect(Math.max(...ticks)).toBeLessThanOrEqual(from + span);
  }
});

test('days of an axis begin at midnight where summer time ends in between', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'Europe/Berlin';
  try {
    const ticks = timeTicks(Date.parse('2026-10-23T12:00:00Z'), Date.parse('2026-10-27T12:00:00Z'));
    expect(ticks.map((at) => new Date(at).toISOString())).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-10-26T23:00:00.000Z',
    ]);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});
