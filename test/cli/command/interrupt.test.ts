import { expect, it, onTestFinished } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { startSvc } from '../../support/process/run-svc.ts';

it('many pending requests may listen for Ctrl-C without a leak warning', async () => {
  const warnings: string[] = [];
  const note = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { env } = await cannedService(() => ({ status: 503 }));
  const users = Array.from({ length: 400 }, (_, i) => `{"userId":"u${i}"}\n`).join('');
  const argv = ['users', 'import', '-', '--batch-size', '10', '--concurrency', '32'];
  const running = startSvc(argv, { env, stdin: users });
  await running.waitFor(/answers 503: retrying/, 'stderr');
  running.interrupt();
  expect((await running.done).code).toBe(130);
  expect(warnings).toEqual([]);
});
