import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRateAnswer } from '../../../src/client/pacer/answer.ts';
import { Pace } from '../../../src/client/pacer/pace.ts';
import { PeerUsage } from '../../../src/client/pacer/peer-usage.ts';
import { Stamps } from '../../../src/client/pacer/stamps.ts';

const NOW = 1_764_000_000_000;
const HUGE = ['50000000', '2147483647', '4294967296', '999999999999999', '99999999999999999999'];
const newPace = () => new Pace({ windowMs: 60_000, share: 1, random: () => 0.5 });

const header = fc.oneof(
  fc.constantFrom(...HUGE, '0', '1', '-1', '600', '1e9', 'NaN', 'Infinity', '', '0x10'),
  fc.nat().map(String),
  fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.string(),
);

describe('a pacer with any value in the headers', () => {
  it.each(HUGE)('bounds its memory at a limit of %s that others use up', (limit) => {
    const pace = newPace();
    for (let turn = 0; turn < 20; turn++) {
      const now = NOW + turn * 20_000;
      const request = pace.sent(now);
      const headers = {
        'x-service-ratelimit-limit': limit,
        'x-service-ratelimit-remaining': String(turn),
        'x-service-ratelimit-reset': '30',
      };
      pace.answered(request, now + 5, readRateAnswer(200, headers, now + 5));
      expect(pace.ask(now + 10, 1)).toBeGreaterThanOrEqual(now);
    }
  });

  it('counts any number of slots of others exactly', () => {
    for (const used of [1, 600, 9_999, 10_001, 50_000_000, 2_147_483_647, 999_999_999_999_999]) {
      const log = new PeerUsage(60_000);
      log.restart(used, NOW + 1000, NOW);
      expect(log.count(NOW)).toBe(used);
      expect(log.nextFree(NOW)).toBe(NOW + 1000);
      log.observe(used + 7, used + 7, NOW, NOW + 500);
      expect(log.count(NOW + 500)).toBe(used + 7);
      log.observe(0, 3, NOW + 500, NOW + 600);
      expect(log.count(NOW + 600)).toBe(3);
      expect(log.count(NOW + 120_000)).toBe(0);
    }
    const log = new PeerUsage(60_000);
    log.restart(999_999_999_999_999, NOW, NOW);
    for (let turn = 1; turn < 15_000; turn++) {
      log.observe(999_999_999_999_999 + turn, Infinity, NOW, NOW + turn / 50);
      if (turn % 1000 === 0) expect(log.size).toBeLessThan(50_000);
    }
  });

  it('spreads more slots than entries evenly over the window', () => {
    const log = new PeerUsage(60_000);
    log.restart(50_000_000, NOW, NOW);
    for (const part of [0.25, 0.5, 0.75])
      expect(log.count(NOW + part * 60_000) / 50_000_000).toBeCloseTo(1 - part, 3);
  });

  it('holds a bounded number of stamps, none of which expires too early', () => {
    const stamps = new Stamps();
    const many = 300_000;
    for (let index = 0; index < many; index++) stamps.add(NOW + index / 10);
    expect(stamps.size).toBeLessThanOrEqual(65_536);
    expect(stamps.countAfter(NOW - 1)).toBe(many);
    for (const part of [0.1, 0.5, 0.9]) {
      const left = stamps.countAfter(NOW + (part * many) / 10);
      expect(left).toBeGreaterThanOrEqual(Math.floor(many * (1 - part)) - 1);
      expect(left).toBeLessThan(many * (1 - part) + 100);
    }
    for (let index = 0; index < 10; index++) stamps.remove(NOW + index * 1000);
    expect(stamps.countAfter(NOW - 1)).toBe(many - 10);
    stamps.dropUntil(NOW + many);
    expect(stamps.countAfter(0)).toBe(0);
  });

  it('never throws and always returns a valid time, for any headers', () => {
    const answers = fc.array(
      fc.record({
        status: fc.constantFrom(200, 202, 429, 503),
        limit: header,
        remaining: header,
        reset: header,
        retryAfter: header,
        date: header,
        took: fc.nat(100_000),
      }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(answers, (list) => {
        const pace = newPace();
        let now = NOW;
        for (const { status, limit, remaining, reset, retryAfter, date, took } of list) {
          const request = pace.sent(now);
          now += took;
          const headers = {
            'x-service-ratelimit-limit': limit,
            'x-service-ratelimit-remaining': remaining,
            'x-service-ratelimit-reset': reset,
            'retry-after': retryAfter,
            date,
          };
          pace.answered(request, now, readRateAnswer(status, headers, now));
          const at = pace.ask(now, 5);
          expect(at === Infinity || Number.isFinite(new Date(at).getTime())).toBe(true);
          const { own, others, limit: known } = pace.state(now);
          for (const value of [own, others, known ?? 1]) expect(value).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 200 },
    );
  });
});
