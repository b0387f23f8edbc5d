import { expect, test } from 'vitest';
import { expectNothingLost, withProgram } from '../support/scenarios/loaded-fleet.ts';
import { restartPostgres } from '../support/scenarios/postgres-restarts.ts';
import { tempDir } from '../support/temp.ts';

test('20 restarts of PostgreSQL, 200 cut connections, 5 paused nodes and 3 failovers: no node exits, no loss, no duplicates', () =>
  withProgram(async (program) => {
    const report = await restartPostgres(program, {
      home: tempDir(),
      seed: process.env.SVC_SEED ?? 'restarts',
      nodes: 3,
      restarts: 20,
      terminations: 200,
      pauses: 5,
      pauseMs: 23_000,
      failovers: 3,
      everyMs: 2000,
    });
    console.log(JSON.stringify(report));
    expectNothingLost(report, 100);
    expect([report.restarts, report.terminations, report.pauses, report.failovers]).toEqual([20, 200, 5, 3]);
    expect(report.idleTimeouts).toBeGreaterThanOrEqual(report.pauses);
    expect(report.atCap).toBeGreaterThan(0);
    expect(report.slowestRecoveryMs).toBeLessThan(5_000);
    expect(report.problemLines).toBeLessThan(2_000);
  }));
