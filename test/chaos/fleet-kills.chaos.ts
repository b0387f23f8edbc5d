import { expect, test } from 'vitest';
import { startPostgres } from '../support/postgres/postgres.ts';
import { killFleet } from '../support/scenarios/fleet-kills.ts';
import { expectNothingLost, withProgram } from '../support/scenarios/loaded-fleet.ts';
import { tempDir } from '../support/temp.ts';

test('two minutes of kills under import, decisions and deliveries: no loss, no duplicates, nothing unfinished', () =>
  withProgram(async (program) => {
    const server = await startPostgres({ durable: true });
    try {
      const seed = process.env.SVC_SEED ?? 'fleet';
      const options = { seed, nodeKills: 24, everyMs: 4000, serverKills: 2 };
      const report = await killFleet(program, server, { home: tempDir(), ...options });
      console.log(JSON.stringify(report));
      expectNothingLost(report, 100);
      expect(report.atCap).toBeGreaterThan(0);
      expect(report.takenOverMs).toBeLessThan(30_000);
      expect(report.slowestMs).toBeLessThan(30_000);
    } finally {
      await server.stop();
    }
  }));
