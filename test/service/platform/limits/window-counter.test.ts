import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countRequest, type WindowCount } from '../../../../src/service/platform/limits/window-counter.ts';

const WINDOW = 60_000;

it('admits at most twice the limit in any window, the limit in its own, and those who wait as told', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 300 }),
      (limit, gaps) => {
        let count: WindowCount | undefined;
        let now = 1_000_000;
        const admitted: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const { count: next, ...verdict } = countRequest(count, now, WINDOW, limit);
          count = next;
          if (verdict.admitted) admitted.push(now);
          else {
            const later = countRequest(count, now + verdict.retryAfter * 1000, WINDOW, limit);
            expect(later.admitted).toBe(true);
          }
          expect(count.current).toBeLessThanOrEqual(limit);
          expect(verdict.remaining).toBeLessThan(limit);
        }
        for (const from of admitted)
          expect(admitted.filter((at) => at >= from && at < from + WINDOW).length).toBeLessThanOrEqual(
            2 * limit,
          );
      },
    ),
  );
});

it('a steady sender at the limit is admitted; a clock set back locks nobody out', () => {
  let count: WindowCount | undefined;
  for (let n = 0; n < 300; n++) {
    const verdict = countRequest(count, n * 1001, WINDOW, 60);
    expect(verdict.admitted).toBe(true);
    count = verdict.count;
  }
  expect(countRequest(count, 5, WINDOW, 1).admitted).toBe(true);
});
