import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_RETRY_AFTER_MS } from '../../../../src/kit/retry-after.ts';
import { FAILING_LIMIT_MS, judge, type Progress } from '../../../../src/service/webhooks/rules/attempt.ts';
import {
  JITTER,
  MAX_ATTEMPTS,
  nextAttempt,
  RETRY_GAPS_MS,
} from '../../../../src/service/webhooks/rules/schedule.ts';

const HOUR = 3_600_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const start = Date.parse('2026-01-01T00:00:00Z');

/** Runs a delivery to its end on a virtual clock. Each answer has a duration and a Retry-After. */
function run(answers: { tookMs: number; retryAfterMs: number | null; random: number }[]) {
  const times: { at: number; endedAt: number; retryAfterMs: number | null }[] = [];
  let at: number | null = start;
  while (at !== null) {
    const answer = answers[times.length % answers.length]!;
    const endedAt: number = at + answer.tookMs;
    times.push({ at, endedAt, retryAfterMs: answer.retryAfterMs });
    at = nextAttempt({
      attempts: times.length,
      firstAttemptAt: start,
      endedAt,
      retryAfterMs: answer.retryAfterMs,
      random: answer.random,
    });
  }
  return times;
}

describe('the schedule', () => {
  it('is that of Standard Webhooks: 10 attempts over 75 h 35 min 5 s', () => {
    expect(MAX_ATTEMPTS).toBe(10);
    expect(RETRY_GAPS_MS.reduce((sum, gap) => sum + gap, 0)).toBe((75 * 3600 + 35 * 60 + 5) * 1000);
  });

  it('makes 10 attempts over at least 72 h, each delay within 20 % of the schedule', () => {
    fc.assert(
      fc.property(fc.array(random, { minLength: 10, maxLength: 10 }), (draws) => {
        const times = run(draws.map((draw) => ({ tookMs: 0, retryAfterMs: null, random: draw })));
        expect(times.length).toBe(10);
        for (const [i, gap] of RETRY_GAPS_MS.entries()) {
          const waited = times[i + 1]!.at - times[i]!.endedAt;
          expect(waited).toBeGreaterThanOrEqual(gap * (1 - JITTER));
          expect(waited).toBeLessThanOrEqual(gap * (1 + JITTER) + 1);
        }
        const whole = times.at(-1)!.at - start;
        expect(whole).toBeGreaterThanOrEqual(72 * HOUR);
        expect(whole).toBeLessThanOrEqual(79 * HOUR);
      }),
    );
  });

  it('retries deliveries that failed together at different times', () => {
    const places = [0, 0.25, 0.5, 0.75].map((draw) =>
      nextAttempt({
        attempts: 3,
        firstAttemptAt: start,
        endedAt: start + 305_000,
        retryAfterMs: null,
        random: draw,
      }),
    );
    expect(new Set(places).size).toBe(4);
  });

  it('respects Retry-After, does not catch up after a delay, and ends', () => {
    const answer = fc.record({
      tookMs: fc.integer({ min: 0, max: 48 * HOUR }),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 100 * HOUR })),
      random,
    });
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 10 }), (answers) => {
        const times = run(answers);
        expect(times.length).toBe(10);
        for (const [i, gap] of RETRY_GAPS_MS.entries()) {
          const { endedAt, retryAfterMs } = times[i]!;
          const waited = times[i + 1]!.at - endedAt;
          expect(waited).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
          expect(waited).toBeGreaterThanOrEqual(gap * (1 - JITTER));
        }
        expect(times.at(-1)!.at - start).toBeGreaterThanOrEqual(72 * HOUR);
      }),
    );
  });
});

describe('the verdict on an attempt', () => {
  const fresh: Progress = { attempts: 0, firstAttemptAt: start, failingSince: null };
  const ended = (status: number | null, endedAt = start) => ({ status, endedAt, retryAfterMs: null });

  it('treats every 2xx as success, and clears earlier failures', () => {
    for (let status = 200; status < 300; status += 1)
      expect(judge({ ...fresh, failingSince: start - HOUR }, ended(status), 0.5)).toEqual({
        delivery: 'delivered',
        failingSince: null,
        disable: null,
      });
  });

  it('retries everything except 2xx and 410', () => {
    for (const status of [null, 199, 301, 307, 400, 401, 404, 429, 500, 503])
      expect(judge(fresh, ended(status), 0.5)).toEqual({
        delivery: 'pending',
        nextAttemptAt: start + 5000,
        failingSince: start,
        disable: null,
      });
  });

  it('disables the subscription on 410', () => {
    expect(judge(fresh, ended(410), 0.5)).toEqual({
      delivery: 'failed',
      failingSince: start,
      disable: 'the receiver answered 410 Gone',
    });
  });

  it('gives up after the tenth attempt', () => {
    expect(judge({ ...fresh, attempts: 9 }, ended(500), 0.5).delivery).toBe('failed');
    expect(judge({ ...fresh, attempts: 8 }, ended(500), 0.5).delivery).toBe('pending');
  });

  it('disables after exactly five days of failures only', () => {
    const failing = { ...fresh, failingSince: start };
    expect(judge(failing, ended(500, start + FAILING_LIMIT_MS - 1), 0.5).disable).toBeNull();
    expect(judge(failing, ended(500, start + FAILING_LIMIT_MS), 0.5).disable).toMatch(/five days/);
    expect(judge(failing, ended(204, start + FAILING_LIMIT_MS), 0.5).disable).toBeNull();
  });

  it('disables on the sixth day a subscription that fails one outcome per hour', () => {
    let failingSince: number | null = null;
    let disabledAt: number | null = null;
    const due = Array.from({ length: 240 }, (_, hour) => ({
      at: start + hour * HOUR,
      attempts: 0,
      first: start + hour * HOUR,
    }));
    while (disabledAt === null && due.length > 0) {
      due.sort((a, b) => a.at - b.at);
      const next = due.shift()!;
      const progress = { attempts: next.attempts, firstAttemptAt: next.first, failingSince };
      const verdict = judge(progress, ended(500, next.at), 0.5);
      failingSince = verdict.failingSince;
      if (verdict.disable !== null) disabledAt = next.at;
      if (verdict.delivery === 'pending')
        due.push({ at: verdict.nextAttemptAt, attempts: next.attempts + 1, first: next.first });
    }
    expect(disabledAt).toBeGreaterThanOrEqual(start + FAILING_LIMIT_MS);
    expect(disabledAt).toBeLessThan(start + FAILING_LIMIT_MS + 2 * HOUR);
  });
});

it('delays an attempt by at most LONGEST_RETRY_AFTER_MS, whatever Retry-After says', () => {
  for (const retryAfterMs of [8.64e15, Number.MAX_VALUE, Number.POSITIVE_INFINITY])
    expect(
      nextAttempt({ attempts: 1, firstAttemptAt: start, endedAt: start, retryAfterMs, random: 0.5 }),
    ).toBe(start + LONGEST_RETRY_AFTER_MS);
});
