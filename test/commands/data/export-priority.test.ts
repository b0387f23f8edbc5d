import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { builtSvc } from '../../support/process/built-svc.ts';
import { startProcess } from '../../support/process/run-process.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

it('svc data export runs at a low priority, because the service may run on the same machine', async () => {
  const database = join(tempDir(), 'data.db');
  const service = await startTestService({ database });
  const long = { text: 'x'.repeat(4 * 1024 * 1024) };
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z', properties: long };
  expect((await service.fetch('/v1/events', { body: { events: [event] } })).status).toBe(202);
  // Nobody reads its output, so that it cannot end.
  const child = startProcess(await builtSvc(), ['data', 'export', '--database', database], {
    home: tempDir(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await vi.waitFor(
    () => expect(getPriority(child.pid)).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL),
    { timeout: 100_000 },
  );
});
