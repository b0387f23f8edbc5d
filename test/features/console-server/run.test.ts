import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startConsole } from '../../../src/features/console-server/run.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { startTestConsole } from '../../support/console/test-console.ts';
import { ROOT } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

it('listens no longer if its file cannot be written', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listen.mockRestore());
  const start = (folder: string) =>
    startConsole({
      ...{ root: tempDir(), folder, scopes: ['scope'], port: 0, write: false },
      ...{ clock: systemClock, log: () => {} },
      backend: () => Promise.reject(new Error('not called')),
      own: async () => undefined,
    });
  const taken = join(tempDir(), 'taken');
  mkdirSync(join(taken, 'scope.json'), { recursive: true });
  await expect(start(taken)).rejects.toThrow(/scope\.json/);
  const file = join(tempDir(), 'file');
  writeFileSync(file, '');
  await expect(start(file)).rejects.toThrow(/EEXIST/);
  expect(listen).toHaveBeenCalled();
  expect((listen.mock.contexts as Server[]).map(({ listening }) => listening)).not.toContain(true);
});

it('answers the address of each view of the page, and only these, with the page', async () => {
  const page = await startTestConsole(await startTestService());
  const source = readFileSync(join(ROOT, 'src', 'console-page', 'views', 'views.ts'), 'utf8');
  const views = [...source.matchAll(/\{ path: '(\/\w+)'/g)].map(([, path]) => path!);
  expect(views.length).toBeGreaterThan(10);
  for (const view of views)
    for (const path of [view, `${view}/some-id`])
      expect(await page.ask('GET', path), path).toMatchObject({
        status: 200,
        text: expect.stringContaining('<!doctype html>'),
      });
  expect((await page.ask('GET', '/views')).status).toBe(404);
});
