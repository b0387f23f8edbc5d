import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRateAnswer, resetTime, retryAfterMs } from '../../../src/client/pacer/answer.ts';

const NOW = 1_764_000_000_000;

it('reads Reset as milliseconds, Unix seconds or seconds from now', () => {
  expect(resetTime(1_764_000_030_000, NOW)).toBe(NOW + 30_000);
  expect(resetTime(1_764_000_030, NOW)).toBe(NOW + 30_000);
  expect(resetTime(30, NOW)).toBe(NOW + 30_000);
});

it('reads the headers of an answer', () => {
  const headers = {
    'x-service-ratelimit-limit': '600',
    'x-service-ratelimit-remaining': ' 599 ',
    'x-service-ratelimit-reset': '1764000060',
    'retry-after': '7',
  };
  expect(readRateAnswer(202, headers, NOW)).toEqual({
    status: 202,
    limit: 600,
    remaining: 599,
    reset: NOW + 60_000,
    retryAfter: 7000,
  });
});

it('reads Retry-After as an HTTP date too', () => {
  expect(retryAfterMs(new Date(NOW + 5000).toUTCString(), NOW)).toBe(5000);
  expect(retryAfterMs(new Date(NOW - 5000).toUTCString(), NOW)).toBe(0);
});

it('takes a header that makes no sense as missing, whatever it holds', () => {
  for (const text of ['', '-1', 'NaN', '1e9', 'six', '0x10', '99999999999999999999', 'Infinity'])
    expect(
      readRateAnswer(200, { 'x-service-ratelimit-limit': text, 'retry-after': text }, NOW),
    ).toMatchObject({
      limit: undefined,
      retryAfter: undefined,
    });
  fc.assert(
    fc.property(fc.string(), (text) => {
      const answer = readRateAnswer(
        200,
        {
          'x-service-ratelimit-limit': text,
          'x-service-ratelimit-remaining': [text, text],
          'x-service-ratelimit-reset': text,
          'retry-after': text,
        },
        NOW,
      );
      for (const value of [answer.limit, answer.remaining, answer.reset, answer.retryAfter])
        expect(value === undefined || (Number.isFinite(value) && value >= 0)).toBe(true);
    }),
  );
});
