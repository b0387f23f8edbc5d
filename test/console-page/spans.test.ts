import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spansAround } from '../../src/console-page/views/catalog/spans.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-03-20T10:20:00Z');
const iso = (span: readonly number[]) => span.map((at) => new Date(at).toISOString().slice(0, 16));

test('spans before and after are whole steps, and leave out that of the change', () => {
  const stored = Date.parse('2026-03-20T04:40:00Z');
  const spans = spansAround(stored, { from: undefined, until: NOW, now: NOW })!;
  expect(iso(spans.after)).toEqual(['2026-03-20T05:00', '2026-03-20T10:00']);
  expect(iso(spans.before)).toEqual(['2026-03-19T23:00', '2026-03-20T04:00']);
  const short = { from: stored - 2.5 * HOUR_MS, until: NOW, now: NOW };
  expect(iso(spansAround(stored, short)!.before)).toEqual(['2026-03-20T03:00', '2026-03-20T04:00']);
  expect(spansAround(NOW - 60_000, { from: undefined, until: NOW, now: NOW })).toBeUndefined();
});

test('both spans are as long, do not reach into other versions, and lie on counters that are kept', () => {
  const ago = fc.integer({ min: 0, max: 60 * 24 * HOUR_MS });
  fc.assert(
    fc.property(ago, ago, ago, (a, b, c) => {
      const [from, stored, until] = [a, b, c].map((each) => NOW - each).sort((x, y) => x - y) as [
        number,
        number,
        number,
      ];
      const spans = spansAround(stored, { from, until, now: NOW });
      if (!spans) return;
      const { before, after } = spans;
      expect(before[1] - before[0]).toBe(after[1] - after[0]);
      expect(before[0]).toBeGreaterThanOrEqual(from);
      expect(before[1]).toBeLessThanOrEqual(stored);
      expect(after[0]).toBeGreaterThanOrEqual(stored);
      expect(after[1]).toBeLessThanOrEqual(until);
      const unit = before[0] < NOW - 14 * 24 * HOUR_MS ? 24 * HOUR_MS : HOUR_MS;
      for (const end of [...before, ...after]) expect(end % unit).toBe(0);
    }),
  );
});
