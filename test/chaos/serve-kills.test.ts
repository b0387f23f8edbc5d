import { expect, test } from 'vitest';
import { svcProgram } from '../support/process/svc-process.ts';
import { killServing } from '../support/scenarios/serve-kills.ts';
import { tempDir } from '../support/temp.ts';

// The short form of serve-kills.chaos.ts.
test('a service killed under import stores each acknowledged event exactly once', async () => {
  const program = await svcProgram();
  try {
    const { faults, notReplayed, batches } = await killServing(program, tempDir(), 8, 'short');
    expect(faults).toEqual([]);
    expect(notReplayed).toBe(0);
    expect(batches).toBeGreaterThan(0);
  } finally {
    program.release();
  }
}, 300_000);
