import { expect, test } from 'vitest';
import { startPostgres } from '../support/postgres/postgres.ts';
import { svcProgram } from '../support/process/svc-process.ts';
import { killFleet } from '../support/scenarios/fleet-kills.ts';
import { tempDir } from '../support/temp.ts';

// The short form of fleet-kills.chaos.ts.
test('nodes and their PostgreSQL are killed under load: no loss, no duplicates, nothing unfinished', async () => {
  const program = await svcProgram();
  const server = await startPostgres({ durable: true });
  try {
    const options = { seed: 'short', nodeKills: 3, everyMs: 1500, serverKills: 1 };
    const report = await killFleet(program, server, { home: tempDir(), ...options });
    expect(report.exits).toEqual([]);
    expect(report.failedImports).toEqual([]);
    expect([report.stored, report.distinct]).toEqual([report.accepted, report.accepted]);
    expect(report.decisionsStored).toBe(report.decisions);
    expect(report.deliveriesStored).toBe(report.outcomes);
    expect(report.overCap).toBe(0);
    expect(report.outcomes).toBeGreaterThan(0);
  } finally {
    await server.stop();
    program.release();
  }
}, 180_000);
