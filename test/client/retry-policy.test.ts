import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRetry, type Failure, retryWait } from '../../src/client/retry-policy.ts';

const rules = { maxRetries: 5, idempotent: false };
const withKeys = { maxRetries: 5, idempotent: true };
const none = () => 0;

const limited: Failure = { kind: 'answered', status: 429 };
const unconnected: Failure = { kind: 'unconnected' };
const lost: Failure = { kind: 'lost' };
const failed: Failure = { kind: 'answered', status: 503 };

describe('decideRetry', () => {
  it.each([
    ['a 429', limited],
    ['a failed connection', unconnected],
  ])('retries after %s, whatever the request', (_, failure) => {
    for (const repeat of ['always', 'keyed'] as const)
      for (const each of [rules, withKeys])
        expect(decideRetry(failure, repeat, 1, each, none).repeat).toBe(true);
  });

  it.each([
    ['a lost response', lost],
    ['a 503', failed],
  ])('retries after %s only if sending the request twice is harmless', (_, failure) => {
    expect(decideRetry(failure, 'always', 1, rules, none).repeat).toBe(true);
    expect(decideRetry(failure, 'keyed', 1, withKeys, none).repeat).toBe(true);
    expect(decideRetry(failure, 'keyed', 1, rules, none)).toEqual({ repeat: false, ambiguous: true });
  });

  it('treats any other 4xx, a redirect and an unsupported operation as final and not ambiguous', () => {
    for (const status of [302, 400, 401, 403, 404, 405, 409, 413, 422, 501, 505])
      expect(decideRetry({ kind: 'answered', status }, 'always', 1, withKeys, none)).toEqual({
        repeat: false,
        ambiguous: false,
      });
  });

  it('stops after the last retry, ambiguous only if the request may have been processed', () => {
    expect(decideRetry(limited, 'always', 5, rules, none).repeat).toBe(true);
    expect(decideRetry(limited, 'always', 6, rules, none)).toEqual({ repeat: false, ambiguous: false });
    expect(decideRetry(unconnected, 'keyed', 6, rules, none)).toEqual({ repeat: false, ambiguous: false });
    expect(decideRetry(lost, 'always', 6, rules, none)).toEqual({ repeat: false, ambiguous: true });
    expect(decideRetry(limited, 'always', 1, { ...rules, maxRetries: 0 }, none).repeat).toBe(false);
  });
});

describe('retryWait', () => {
  it('is at least Retry-After and the backoff, and at most 500 ms more; only the backoff is capped', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.option(fc.integer({ min: 0, max: 10_000_000 }), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (tries, retryAfter, chance) => {
          const wait = retryWait(tries, retryAfter, () => chance);
          const least = Math.max(retryAfter ?? 0, Math.min(30_000, 500 * 2 ** (tries - 1)));
          expect(wait).toBeGreaterThanOrEqual(least);
          expect(wait).toBeLessThanOrEqual(least + 500);
        },
      ),
    );
  });

  it('obeys a Retry-After that is longer than the cap', () => {
    const answer: Failure = { kind: 'answered', status: 429, retryAfterMs: 59_000 };
    expect(decideRetry(answer, 'keyed', 3, rules, none)).toEqual({ repeat: true, waitMs: 59_000 });
  });
});
