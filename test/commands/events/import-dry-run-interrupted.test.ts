import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startSvc } from '../../support/process/run-svc.ts';

test('an interrupted dry run does not say that its progress is saved', async () => {
  const line = '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n';
  let interrupt: () => void;
  let reads = 0;
  const stdin = new Readable({
    read() {
      if (reads++ < 64) this.push(line.repeat(1000));
      else interrupt();
    },
  });
  const argv = ['events', 'import', '-', '--dry-run', '-p', 'local'];
  const run = startSvc(argv, { stdin });
  interrupt = () => run.interrupt();
  const { code, stderr } = await run.done;
  expect([code, stderr]).toEqual([
    130,
    expect.stringMatching(/^error: interrupted; the plan covers only what was read\n/),
  ]);
  expect(stderr).not.toContain('--resume');
});
