import { expect, test } from 'vitest';
import { postgresDatabase } from '../support/postgres/database.ts';
import { svcProgram } from '../support/process/svc-process.ts';
import { shareLimit } from '../support/scenarios/shared-limit.ts';
import { tempDir } from '../support/temp.ts';

// The short form of shared-limit.chaos.ts.
test('three nodes and five importers never exceed the limit of a window, and lose no event', async () => {
  const program = await svcProgram();
  try {
    const database = await postgresDatabase();
    const options = { limit: 60, windowMs: 2000, requests: 150 };
    const report = await shareLimit(program, { database, home: tempDir(), ...options });
    expect(report.codes).toEqual(Array(5).fill(0));
    expect(report.most).toBeLessThanOrEqual(60);
    expect(report.counted).toBeGreaterThanOrEqual(150);
    expect([report.stored, report.distinct]).toEqual([300, 300]);
  } finally {
    program.release();
  }
}, 300_000);
