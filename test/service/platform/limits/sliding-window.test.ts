import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admit,
  decide,
  resetSecond,
  viewOf,
} from '../../../../src/service/platform/limits/sliding-window.ts';

const W = 60_000;

/** The oracle: keeps every admitted request and counts them one by one. */
function oracle(windowMs: number) {
  const admitted: number[] = [];
  return (now: number, limit: number) => {
    const counted = admitted.filter((at) => at > now - windowMs).sort((a, b) => a - b);
    const free = counted.length < limit;
    if (free) admitted.push(now);
    return {
      admitted: free,
      remaining: Math.max(0, limit - counted.length - (free ? 1 : 0)),
      resetAt: (counted[0] ?? now) + windowMs,
      leaves: counted.map((at) => at + windowMs),
    };
  };
}

const steps = (most: number) =>
  fc.array(fc.record({ gap: fc.integer({ min: 0, max: most }), limit: fc.integer({ min: 1, max: 12 }) }), {
    maxLength: 200,
  });

describe('the sliding window', () => {
  it('agrees with a brute-force oracle, even if the limit changes', () => {
    fc.assert(
      fc.property(steps(20_000), fc.integer({ min: 1, max: W }), (sequence, windowMs) => {
        const truth = oracle(windowMs);
        let log: number[] = [];
        let now = 1_700_000_000_000;
        for (const { gap, limit } of sequence) {
          now += gap;
          const wanted = truth(now, limit);
          const result = admit(log, now, windowMs, limit);
          log = result.log;
          expect(result.verdict).toMatchObject({
            admitted: wanted.admitted,
            remaining: wanted.remaining,
            resetAt: wanted.resetAt,
          });
          if (!wanted.admitted) {
            // A request is admitted after Retry-After, but not one second earlier.
            const then = now + result.verdict.retryAfter! * 1000;
            const room = (at: number) => wanted.leaves.filter((leave) => leave > at).length < limit;
            expect(room(then)).toBe(true);
            expect(result.verdict.retryAfter === 1 || !room(then - 1000)).toBe(true);
          }
        }
      }),
    );
  });

  it('admits exactly up to the limit in any window', () => {
    const log: number[] = [];
    let kept: number[] = [];
    for (let now = 0; now < 5 * W; now += 37) {
      const { verdict, log: next } = admit(kept, now, W, 600);
      kept = next;
      if (verdict.admitted) log.push(now);
      else expect(log.filter((at) => at > now - W).length).toBe(600);
    }
    for (const end of log)
      expect(log.filter((at) => at <= end && at > end - W).length).toBeLessThanOrEqual(600);
  });

  it('blocks for one window at most after the clock is set back, even with refused requests', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 365 * 24 * 3600_000 }),
        fc.integer({ min: 1, max: 10 }),
        (gaps, back, limit) => {
          let log: number[] = [];
          let now = 1_700_000_000_000;
          for (const gap of gaps) {
            now += gap;
            log = admit(log, now, W, limit).log;
          }
          const full = log.length >= limit;
          now -= back;
          const first = admit(log, now, W, limit);
          // Setting the clock back does not free a full window.
          if (full) expect(first.verdict.admitted).toBe(false);
          expect(first.verdict.resetAt - now).toBeLessThanOrEqual(W);
          log = first.log;
          const free = viewOf(log, now + W, W, limit);
          expect(free.counted).toBe(0);
          // Refused requests do not move the timestamps either.
          const second = admit(log, now + 1000, W, limit);
          expect(viewOf(second.log, now + W, W, limit).counted).toBe(second.verdict.admitted ? 1 : 0);
        },
      ),
    );
  });

  it('reports the second by which the oldest request has left, on the wall clock', () => {
    const verdict = decide({ counted: 1, oldest: 10_500, blocking: undefined }, 11_000, W, 5);
    expect(resetSecond(verdict.resetAt, 11_000)).toBe(71);
    expect(resetSecond(verdict.resetAt, 11_000, 1_700_000_000_000)).toBe(1_700_000_060);
  });
});
