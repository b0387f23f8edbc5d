import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

/** Runs the command with a standard output that is a pipe whose reader is gone. */
const NO_READER = 'mkfifo out; exec 4<>out; exec 5>out; exec 4<&-; exec "$@" >&5 5>&-';

const EVENTS = 'userId,event,timestamp\nu1,seen,2026-01-01T00:00:00Z\nu2,,2026-01-01T00:00:00Z\n';
const NOWHERE = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };

async function runWithoutReader(argv: string[], env: Record<string, string>) {
  const cwd = tempDir();
  const home = join(cwd, 'home');
  mkdirSync(home);
  writeFileSync(join(cwd, 'ev.csv'), EVENTS);
  const program = await svcProgram();
  return program.start(argv, { cwd, shell: NO_READER, env: { PATH: process.env.PATH!, HOME: home, ...env } })
    .ended;
}

test('a command keeps its exit code and its message when the reader of its result is gone', async () => {
  const { env } = await startTestService();
  const rejected = await runWithoutReader(['events', 'import', 'ev.csv'], env);
  expect(rejected.stderr).toContain('rejected');
  expect(rejected.code).toBe(7);
  const [unreachable, doctor] = await Promise.all([
    runWithoutReader(['events', 'import', 'ev.csv', '--max-retries', '0'], NOWHERE),
    runWithoutReader(['doctor'], NOWHERE),
  ]);
  expect(unreachable.code, unreachable.stderr).toBe(6);
  expect(doctor.code, doctor.stderr).toBe(6);
});

test('a listing ends quietly when its reader is gone', async () => {
  const { env } = await startTestService();
  expect(await runWithoutReader(['decide', '--input', 'ev.csv'], env)).toMatchObject({ code: 0, stderr: '' });
  expect(await runWithoutReader(['webhooks', 'list'], env)).toMatchObject({ code: 0, stderr: '' });
});
