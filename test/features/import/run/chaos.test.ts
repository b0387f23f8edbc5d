import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SvcProgram, svcProgram } from '../../../support/process/svc-process.ts';
import { chaosRun } from '../../../support/scenarios/import-chaos.ts';

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
});
afterAll(() => program.release());

// 200 of them run with `npm run test:chaos`.
test('an import that is killed and resumed loses and duplicates nothing, and resends only requests in flight', async () => {
  const seeds = Array.from({ length: 3 }, (_, n) => `suite ${n}`);
  const options = { records: 2000, batchSize: 25, concurrency: 4 };
  const reports = await Promise.all(seeds.map((seed) => chaosRun(program, { seed, ...options })));
  for (const report of reports) {
    expect(report).toMatchObject({ lost: 0, doubled: 0, rejectsMissing: 0, rejectsDoubled: 0, afterEnd: 0 });
    expect(report.resent).toBeLessThanOrEqual(options.concurrency);
    expect(report.lastResult).toMatchObject({ read: 2000, unsent: 0 });
  }
  expect(reports.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(0);
  expect(reports.reduce((sum, { dropped }) => sum + dropped, 0)).toBeGreaterThan(0);
}, 300_000);

test('a file that grows every night is imported once, however often each import is killed and resumed', async () => {
  const seeds = ['growing 0'];
  const options = { records: 1500, batchSize: 25, concurrency: 4, nights: 3 };
  const reports = await Promise.all(seeds.map((seed) => chaosRun(program, { seed, ...options })));
  for (const report of reports) {
    expect(report).toMatchObject({ lost: 0, doubled: 0, rejectsMissing: 0, rejectsDoubled: 0, afterEnd: 0 });
    expect(report.resent).toBeLessThanOrEqual(options.concurrency);
    expect(report.lastResult).toMatchObject({ read: 1500, unsent: 0 });
    expect(report.kills).toBeGreaterThan(0);
  }
}, 300_000);

test('so does an import of an array, of Parquet, of a zip archive and of a folder', async () => {
  const options = { records: 1000, batchSize: 25, concurrency: 4 };
  const shapes = ['array', 'parquet', 'zip', 'folder'] as const;
  const reports = await Promise.all(
    shapes.map((shape) => chaosRun(program, { seed: `shape ${shape}`, shape, ...options })),
  );
  for (const report of reports) {
    expect(report).toMatchObject({ lost: 0, doubled: 0, rejectsMissing: 0, rejectsDoubled: 0, afterEnd: 0 });
    expect(report.resent).toBeLessThanOrEqual(options.concurrency);
    expect(report.lastResult).toMatchObject({ read: 1000, unsent: 0 });
  }
  expect(reports.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(0);
}, 300_000);
