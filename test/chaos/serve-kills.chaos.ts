import { expect, test } from 'vitest';
import { svcProgram } from '../support/process/svc-process.ts';
import { killServing } from '../support/scenarios/serve-kills.ts';
import { tempDir } from '../support/temp.ts';

test('200 kills of a service under import: each acknowledged event is stored exactly once', async () => {
  const program = await svcProgram();
  try {
    const figures = await killServing(program, tempDir(), 200, process.env.SVC_SEED ?? 'kills');
    console.log(JSON.stringify(figures));
    expect(figures.faults).toEqual([]);
    expect(figures.notReplayed).toBe(0);
    expect(figures.lost).toBeGreaterThan(20);
    expect(figures.early).toBeGreaterThan(20);
  } finally {
    program.release();
  }
});
