import { expect, it, onTestFinished } from 'vitest';
import { cannedService } from '../support/peers/canned-service.ts';
import { startSvc } from '../support/process/run-svc.ts';

it('many requests that wait at once may all listen for Ctrl-C: no warning of a leak', async () => {
  const warnings: string[] = [];
  const note = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { env } = await cannedService(() => ({ status: 503 }));
  const users = Array.from({ length: 400 }, (_, i) => `{"userId":"u${i}"}\n`).join('');
  const argv = ['users', 'import', '-', '--batch-size', '10', '--concurrency', '32'];
  const running = startSvc(argv, { env, stdin: users });
  await running.waitFor(/answers 503: trying again/, 'stderr');
  running.interrupt();
  expect((await running.done).code).toBe(130);
  expect(warnings).toEqual([]);
});
