import { expect, test } from 'vitest';
import { killFleet } from '../support/fleet-kills.ts';
import { startPostgres } from '../support/postgres.ts';
import { svcProgram } from '../support/svc-process.ts';
import { tempDir } from '../support/temp.ts';

const EVENTS = 100_000;

test('two minutes of kills under import, decisions and deliveries: nothing is lost, doubled or left undone', async () => {
  const program = await svcProgram();
  const server = await startPostgres({ durable: true });
  try {
    const seed = process.env.SVC_SEED ?? 'fleet';
    const options = { seed, nodeKills: 24, everyMs: 4000, serverKills: 2, events: EVENTS };
    const report = await killFleet(program, server, { home: tempDir(), ...options });
    console.log(JSON.stringify(report));
    expect(report.imported.map(({ code, accepted }) => [code, accepted])).toEqual([
      [0, EVENTS],
      [0, EVENTS],
    ]);
    expect([report.stored, report.distinct]).toEqual([2 * EVENTS, 2 * EVENTS]);
    expect(report.overCap).toBe(0);
    expect(report.atCap).toBeGreaterThan(0);
    expect(report.outcomes).toBeGreaterThan(100);
    expect(report.takenOverMs).toBeLessThan(30_000);
    expect(report.slowestMs).toBeLessThan(30_000);
  } finally {
    await server.stop();
    program.release();
  }
});
