import { expect, test } from 'vitest';
import { svcProgram } from '../support/process/svc-process.ts';
import { furnished, suffer } from '../support/scenarios/damage-suite.ts';

// The short form of damage.chaos.ts: every seventh pair of damage and command.
test('a damaged file: each command reports it and destroys nothing', async () => {
  const program = await svcProgram();
  const home = await furnished(program);
  try {
    expect((await suffer(program, home, 7)).faults).toEqual([]);
  } finally {
    home.release();
    program.release();
  }
}, 300_000);
