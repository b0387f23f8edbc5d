import { expect, test } from 'vitest';
import { storm } from '../support/scenarios/decide-storm.ts';

// The short form of test/chaos/decide.chaos.ts.
test('concurrent decisions with kills, over a clock change, keep all guarantees', {
  timeout: 300_000,
}, async () => {
  const report = await storm({
    decisions: 2_500,
    concurrency: 64,
    kills: 2,
    users: 150,
    speed: 20_000,
    seed: 'short storm',
  });
  expect(report.broken).toEqual([]);
  expect(report.answered).toBe(2_500);
  // Each decision once, except those that a slow machine repeats after their keys have expired.
  expect(report.logged - report.answered).toBeLessThanOrEqual(report.late);
  expect(report.lostAnswers).toBeGreaterThan(0);
  expect(report.daysAtCap).toBeGreaterThan(50);
  expect(report.models).toBeGreaterThan(1);
});
