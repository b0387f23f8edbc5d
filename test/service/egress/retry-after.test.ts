import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LONGEST_RETRY_AFTER_MS, nextAttempt } from '../../../src/service/domain/deliveries/schedule.ts';
import { parseRetryAfter } from '../../../src/service/egress/retry-after.ts';
import { extremeValue } from '../../support/scenarios/extreme-headers.ts';

const now = Date.parse('2026-03-01T10:00:00Z');

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
])('parses %j as %j ms', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected);
});

it('parses any value as a wait of at most a week, or as none', () => {
  fc.assert(
    fc.property(extremeValue, fc.integer({ min: 0, max: 4e12 }), (value, at) => {
      const wait = parseRetryAfter(value, at);
      if (wait === null) return;
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(LONGEST_RETRY_AFTER_MS);
    }),
    { numRuns: 5000 },
  );
});

it('delays an attempt by at most a week', () => {
  for (const retryAfterMs of [8.64e15, Number.MAX_VALUE, Number.POSITIVE_INFINITY])
    expect(nextAttempt({ attempts: 1, firstAttemptAt: now, endedAt: now, retryAfterMs, random: 0.5 })).toBe(
      now + LONGEST_RETRY_AFTER_MS,
    );
});
