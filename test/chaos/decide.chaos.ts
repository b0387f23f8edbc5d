import { expect, test } from 'vitest';
import { storm } from '../support/scenarios/decide-storm.ts';

/** SVC_STORM overrides the number of decisions. */
const DECISIONS = Number(process.env.SVC_STORM ?? 1_000_000);

test(`${DECISIONS.toLocaleString('en')} decisions, 64 at a time, with kills, keep all guarantees`, {
  timeout: 2 * 3600_000,
}, async () => {
  const report = await storm({
    decisions: DECISIONS,
    concurrency: 64,
    kills: 20,
    users: 5_000,
    // About 1,000 decisions a second: a million last for about nine days of the service's clock.
    speed: 800,
    seed: `storm ${process.env.SVC_SEED ?? ''}`,
  });
  console.log(JSON.stringify({ ...report, broken: report.broken.slice(0, 20) }));
  expect(report.broken.slice(0, 20)).toEqual([]);
  expect(report.answered).toBe(DECISIONS);
  expect(report.logged - report.answered).toBeLessThanOrEqual(report.late);
  expect(report.lostAnswers).toBeGreaterThan(0);
  expect(report.daysAtCap).toBeGreaterThan(1000);
});
