import { test } from 'vitest';
import { startPostgres } from '../support/postgres/postgres.ts';
import { killFleet } from '../support/scenarios/fleet-kills.ts';
import { expectNothingLost, withProgram } from '../support/scenarios/loaded-fleet.ts';
import { tempDir } from '../support/temp.ts';

// The short form of fleet-kills.chaos.ts.
test(
  'nodes and their PostgreSQL are killed under load: no loss, no duplicates, nothing unfinished',
  () =>
    withProgram(async (program) => {
      const server = await startPostgres({ durable: true });
      try {
        const options = { seed: 'short', nodeKills: 2, everyMs: 800, serverKills: 1 };
        const report = await killFleet(program, server, { home: tempDir(), ...options });
        expectNothingLost(report, 0);
      } finally {
        await server.stop();
      }
    }),
  300_000,
);
