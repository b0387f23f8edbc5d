import { expect, test } from 'vitest';
import { expectNothingLost, withProgram } from '../support/scenarios/loaded-fleet.ts';
import { restartPostgres } from '../support/scenarios/postgres-restarts.ts';
import { tempDir } from '../support/temp.ts';

// The short form of postgres-restarts.chaos.ts.
test(
  'PostgreSQL restarts, terminates connections and fails over under load: no node exits, no loss, no duplicates',
  () =>
    withProgram(async (program) => {
      const report = await restartPostgres(program, {
        home: tempDir(),
        seed: 'short',
        nodes: 2,
        restarts: 2,
        terminations: 6,
        pauses: 1,
        pauseMs: 1000,
        idleInTransactionMs: 500,
        failovers: 1,
        everyMs: 250,
      });
      expectNothingLost(report, 0);
      expect([report.restarts, report.terminations, report.pauses, report.failovers]).toEqual([2, 6, 1, 1]);
      expect(report.idleTimeouts).toBeGreaterThanOrEqual(report.pauses);
      // A worker that did not pause after a failure would report thousands each second.
      expect(report.problemLines).toBeLessThan(50 * report.seconds);
    }),
  300_000,
);
