import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, decide, resetSecond, viewOf } from '../../../src/service/domain/sliding-window.ts';

const W = 60_000;

/** The oracle: remembers every admitted request for ever and counts by looking at each. */
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
  it('decides as a brute-force oracle does, also while the limit changes', () => {
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
            // After Retry-After there is room, and one second earlier there was none.
            const then = now + result.verdict.retryAfter! * 1000;
            const room = (at: number) => wanted.leaves.filter((leave) => leave > at).length < limit;
            expect(room(then)).toBe(true);
            expect(result.verdict.retryAfter === 1 || !room(then - 1000)).toBe(true);
          }
        }
      }),
    );
  });

  it('lets no more than the limit through in any window, and refuses none that fits', () => {
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

  it('holds nobody longer than a window when the clock is set back, refused requests included', () => {
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
          // Set back it grants nothing: what was full is full.
          if (full) expect(first.verdict.admitted).toBe(false);
          expect(first.verdict.resetAt - now).toBeLessThanOrEqual(W);
          log = first.log;
          const free = viewOf(log, now + W, W, limit);
          expect(free.counted).toBe(0);
          // The upkeep also holds after a refusal: no later request pushes the stamps on.
          const second = admit(log, now + 1000, W, limit);
          expect(viewOf(second.log, now + W, W, limit).counted).toBe(second.verdict.admitted ? 1 : 0);
        },
      ),
    );
  });

  it('reports the second in which the oldest has left, on the wall clock', () => {
    const verdict = decide({ counted: 1, oldest: 10_500, blocking: undefined }, 11_000, W, 5);
    expect(resetSecond(verdict.resetAt, 11_000)).toBe(71);
    expect(resetSecond(verdict.resetAt, 11_000, 1_700_000_000_000)).toBe(1_700_000_060);
  });
});
