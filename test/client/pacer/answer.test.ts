import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRateAnswer, resetIn, retryAfterMs } from '../../../src/client/pacer/answer.ts';

const NOW = 1_764_000_000_000;

it('reads Reset as Unix milliseconds, Unix seconds or seconds from now', () => {
  expect(resetIn(1_764_000_030_000, NOW)).toBe(30_000);
  expect(resetIn(1_764_000_030, NOW)).toBe(30_000);
  expect(resetIn(30, NOW)).toBe(30_000);
  expect(resetIn(1_763_999_000, NOW)).toBe(0);
});

it('reads the headers of a response', () => {
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
    resetIn: 60_000,
    resetExact: false,
    retryAfter: 7000,
  });
});

it('computes Reset from the clock of the service, whatever the local clock says', () => {
  const headers = {
    'x-service-ratelimit-reset': '1764000060',
    date: new Date(1_764_000_000_000).toUTCString(),
  };
  expect(readRateAnswer(202, headers, NOW + 7 * 3600_000)).toMatchObject({
    resetIn: 60_000,
    resetExact: true,
  });
});

it('reads Retry-After as an HTTP date', () => {
  expect(retryAfterMs(new Date(NOW + 5000).toUTCString(), NOW)).toBe(5000);
  expect(retryAfterMs(new Date(NOW - 5000).toUTCString(), NOW)).toBe(0);
});

it('treats an invalid header as missing', () => {
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
      for (const value of [answer.limit, answer.remaining, answer.resetIn, answer.retryAfter])
        expect(value === undefined || (Number.isFinite(value) && value >= 0)).toBe(true);
    }),
  );
});
