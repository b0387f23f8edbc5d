import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../support/process/served.ts';
import { svcProgram } from '../support/process/svc-process.ts';
import { storm } from '../support/scenarios/hostile-storm.ts';
import { tempDir } from '../support/temp.ts';

test('concurrent hostile clients: each gets an error message, decisions continue, memory is bounded', async () => {
  const program = await svcProgram();
  try {
    const home = tempDir();
    const served = await serve(program, { home, database: join(home, 'storm.db') });
    const figures = await storm(served, 60);
    console.log(JSON.stringify(figures));
    expect(figures.faults).toEqual([]);
    expect(figures.memoryMax - figures.memoryBefore).toBeLessThan(128);
    expect(figures.timedOut).toBeGreaterThan(100);
    expect(await served.stop()).toBe(0);
  } finally {
    program.release();
  }
});
