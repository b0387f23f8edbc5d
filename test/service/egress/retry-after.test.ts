import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/service/egress/retry-after.ts';

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
])('reads %j as %j ms', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected);
});

it('keeps an absurd wait inside what a date can hold', () => {
  expect(Number.isNaN(new Date(now + parseRetryAfter('9'.repeat(40), now)!).getTime())).toBe(false);
});
