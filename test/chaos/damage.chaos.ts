import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { svcProgram } from '../support/process/svc-process.ts';
import { runDamaged } from '../support/scenarios/damage.ts';
import { furnished, suffer } from '../support/scenarios/damage-suite.ts';

test('any damage to any file: each command reports it and destroys nothing', async () => {
  const program = await svcProgram();
  const home = await furnished(program);
  try {
    const { runs, faults } = await suffer(program, home);
    console.log(JSON.stringify({ runs, faults: faults.length }));
    expect(faults).toEqual([]);
  } finally {
    home.release();
    program.release();
  }
});

test('single flipped bits in the data: detected or not, nothing else is destroyed', async () => {
  const program = await svcProgram();
  const { home, template, release } = await furnished(program);
  const random = seededRandom('bits');
  const outcomes: Record<string, number> = {};
  try {
    for (let run = 0; run < 100; run++) {
      const flip = (path: string) => {
        const bytes = readFileSync(path);
        for (let i = 0; i < 3; i++)
          bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
        writeFileSync(path, bytes);
      };
      const argv = ['data', 'export', '-p', 'local'];
      const { code, signal, error, kept } = await runDamaged(
        program,
        template,
        home,
        'data/service.db',
        flip,
        argv,
      );
      // The driver ends the process on invalid UTF-8; see docs/guarantees.md.
      const outcome = signal === 'SIGABRT' ? 'ended by the driver' : code === 0 ? 'not noticed' : error?.code;
      outcomes[String(outcome)] = (outcomes[String(outcome)] ?? 0) + 1;
      expect(kept).toBe(true);
    }
    console.log(JSON.stringify(outcomes));
    expect(Object.keys(outcomes)).not.toContain('unexpected');
    expect(Object.keys(outcomes)).not.toContain('undefined');
  } finally {
    release();
    program.release();
  }
});
