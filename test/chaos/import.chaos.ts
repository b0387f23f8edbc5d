import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SvcProgram, svcProgram } from '../support/process/svc-process.ts';
import { type ChaosReport, chaosRun } from '../support/scenarios/import-chaos.ts';

/** SVC_CHAOS_RUNS sets another number of runs. */
const RUNS = Number(process.env.SVC_CHAOS_RUNS ?? 200);
const AT_ONCE = 4;

const SHAPES = ['array', 'parquet', 'zip', 'folder'] as const;
/** Every other run is of NDJSON, over up to three nights; the others are of the other shapes. */
const kindOf = (n: number) => (n % 2 === 0 ? { nights: 1 + (n % 3) } : { shape: SHAPES[(n >> 1) % 4]! });

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
});
afterAll(() => program.release());

test(`${RUNS} imports, killed up to five times each behind a proxy that loses answers, end exact`, async () => {
  const seeds = Array.from({ length: RUNS }, (_, n) => `chaos ${n} ${process.env.SVC_SEED ?? ''}`);
  const reports: ChaosReport[] = [];
  const options = { records: 2000, batchSize: 25, concurrency: 4 };
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop())
        reports.push(await chaosRun(program, { seed, ...options, ...kindOf(seeds.length) }));
    }),
  );
  const broken = reports.filter(
    (report) =>
      report.lost + report.doubled + report.rejectsMissing + report.rejectsDoubled + report.afterEnd > 0 ||
      report.resent > options.concurrency ||
      report.lastResult.unsent > 0,
  );
  const sum = (of: (report: ChaosReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  console.log(
    JSON.stringify({
      runs: reports.length,
      kills: sum(({ kills }) => kills),
      answersDropped: sum(({ dropped }) => dropped),
      mostSentAgain: Math.max(...reports.map(({ resent }) => resent)),
      lost: sum(({ lost }) => lost),
      doubled: sum(({ doubled }) => doubled),
    }),
  );
  expect(broken).toEqual([]);
  expect(reports).toHaveLength(RUNS);
});
