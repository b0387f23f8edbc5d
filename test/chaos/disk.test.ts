import { expect, test } from 'vitest';
import { svcProgram } from '../support/process/svc-process.ts';
import { canInject, sufferFailingCalls, sufferFileLimit } from '../support/scenarios/disk-faults.ts';
import { tempDir } from '../support/temp.ts';

// The short form of disk.chaos.ts.
test('full disk: 503, no loss of acknowledged data, no restart', async () => {
  const program = await svcProgram();
  try {
    const limited = await sufferFileLimit(program, tempDir(), 8, 'short');
    expect(limited.faults).toEqual([]);
    expect(limited.failed).toBeGreaterThan(0);
    // If strace is installed, single system calls fail too.
    const injected = canInject()
      ? await sufferFailingCalls(program, tempDir(), 12, 'short')
      : await sufferFileLimit(program, tempDir(), 12, 'instead');
    expect(injected.faults).toEqual([]);
    expect(injected.failed).toBeGreaterThan(0);
  } finally {
    program.release();
  }
}, 300_000);
