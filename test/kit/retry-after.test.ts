import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/kit/retry-after.ts';
import { extremeValue } from '../support/scenarios/extreme-headers.ts';

const now = Date.parse('2026-03-01T10:00:00Z');
const longestMs = 7 * 24 * 3600_000;

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sun, 01 Mar 2026 10:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['2026-03-01T10:00:30Z', null],
  ['', null],
  [undefined, null],
])('reads %j as %j ms', (value, expected) => {
  expect(parseRetryAfter(value, { now, longestMs }) ?? null).toBe(expected);
});

it('accepts fractions of a second only where the caller asks for it', () => {
  expect(parseRetryAfter('1.5', { now, longestMs, fractions: true })).toBe(1500);
  expect(parseRetryAfter('1.5', { now, longestMs })).toBeUndefined();
});

it('reads any value as a wait up to the longest one, or as none', () => {
  fc.assert(
    fc.property(extremeValue, fc.integer({ min: 0, max: 4e12 }), (value, at) => {
      const wait = parseRetryAfter(value, { now: at, longestMs });
      if (wait === undefined) return;
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(longestMs);
    }),
    { numRuns: 5000 },
  );
});
